"""How the page of a comparison looks, on a light ground and on a dark one."""

STYLE = """
:root { color-scheme: light dark; --ground: #fff; --ink: #1c2430; --quiet: #5b6472;
  --rule: #dfe4ec }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181f; --ink: #e6e9ee; --quiet: #9aa4b2; --rule: #2c3440 }
}
body { font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
  background: var(--ground); max-width: 72em; margin: 2em auto; padding: 0 1.5em }
h1 { font-size: 1.6em } h2 { font-size: 1.2em; margin-top: 2.2em }
nav { display: flex; flex-wrap: wrap; gap: 0.4em 1.2em; border-bottom: 1px solid var(--rule);
  padding-bottom: 0.8em }
a { color: #2f7fc1; text-decoration: none } a:hover { text-decoration: underline }
.lead { font-size: 1.1em }
.warning { border-left: 4px solid #d55e00; padding: 0.4em 0.9em; background: rgba(213,94,0,0.1) }
table { border-collapse: collapse } svg { max-width: 100%; height: auto }
section { overflow-x: auto }
.plain th, .plain td { padding: 2px 12px 2px 0; text-align: right; white-space: nowrap;
  border-bottom: 1px solid var(--rule); font-variant-numeric: tabular-nums }
.plain th { color: var(--quiet); font-weight: 500 }
.plain th:first-child, .plain td:first-child, .plain .terms { text-align: left }
.plain .terms { white-space: normal; color: var(--quiet); padding-left: 1em }
.bar { width: 9em; height: 0.7em; background: var(--rule); border-radius: 3px }
.bar div { height: 100%; background: #0072b2; border-radius: 3px }
.map { font-size: 11px } .map td { min-width: 2.4em; height: 2em; text-align: center;
  border: 1px solid var(--rule) }
.map th { font-weight: 400; text-align: right; padding-right: 6px; white-space: nowrap }
.map .up { height: 9em; vertical-align: bottom; padding: 0 }
.map .up span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 14em }
details { border-bottom: 1px solid var(--rule); padding: 0.4em 0 } summary { cursor: pointer }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--rule); padding: 0.6em;
  border-radius: 6px }
.tallytext-explanation > div:nth-child(2) { max-height: 24em; overflow: auto }
"""
