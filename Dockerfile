# An image with the command "tally", from a wheel in dist/ alone: run "make wheel" first, with the Python
# of this image. Models and documents are mounted: docker run -v "$PWD:/work" tallytext info model.tally
ARG PYTHON=3.13
FROM python:${PYTHON}-slim AS install
COPY dist/*.whl /wheels/
RUN python -m venv /opt/tallytext \
 && /opt/tallytext/bin/pip install --no-cache-dir --no-compile --only-binary :all: /wheels/*.whl \
 && /opt/tallytext/bin/tally --version

FROM python:${PYTHON}-slim
COPY --from=install /opt/tallytext /opt/tallytext
RUN useradd --create-home --uid 1000 tally
ENV PATH="/opt/tallytext/bin:$PATH" PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER tally
WORKDIR /work
HEALTHCHECK --interval=1m --timeout=10s CMD ["tally", "--version"]
ENTRYPOINT ["tally"]
CMD ["--help"]
