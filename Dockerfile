# docker build -t isrproof . && docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" isrproof audit logs --html report.html
FROM python:3.12-slim-bookworm AS build
COPY . /src
RUN pip wheel --quiet --no-cache-dir --no-deps --wheel-dir /dist /src

FROM python:3.12-slim-bookworm
# Graphviz, which comes with the extra `diagram`, draws with these libraries and a font.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends fontconfig libglib2.0-0 libx11-6 libxext6 libxrender1 \
    && rm -rf /var/lib/apt/lists/*
# All but what records clusters, tests, and builds the site. Java, for Spark, comes with the extra `spark` and nothing else.
RUN --mount=type=bind,from=build,source=/dist,target=/dist \
    pip install --no-cache-dir "$(echo /dist/*.whl)[audit,diagram,explore,formats,kraft,prove,remote,reports]"
RUN useradd --create-home --uid 10001 isrproof
USER isrproof
WORKDIR /work
ENTRYPOINT ["isrproof"]
CMD ["--help"]
