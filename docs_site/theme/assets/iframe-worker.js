/* Search from disk. A browser starts no worker for a page that was opened from disk, so its script
   runs in a hidden frame instead, with the same two ways of speaking to it: postMessage and onmessage. */
(function () {
  if (location.protocol !== "file:") return;

  const inside = `<script>
    var importScripts = (...paths) => paths.reduce((before, path) => before.then(() => new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = path; script.onload = done; script.onerror = failed;
      document.head.append(script);
    })), Promise.resolve());
    var postMessage = (data) => frameElement.dispatchEvent(new MessageEvent("message", { data }));
  <\/script>`;

  window.Worker = class extends EventTarget {
    constructor(path) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.frame.addEventListener("message", (event) => this.receive(event.data));
      const page = this.frame.contentDocument;
      page.open();
      page.write(inside);
      const script = page.createElement("script");
      this.ready = new Promise((done) => { script.onload = done; });
      script.src = path;
      page.head.append(script);
      page.close();
    }

    receive(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }

    postMessage(data) {
      this.ready.then(() => {
        this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
})();
