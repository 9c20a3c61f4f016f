# docker build -t isrproof . && docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" isrproof audit logs --html report.html
FROM python:3.12-slim

# Above 100 MB of text Spark reads the logs, and needs Java.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends default-jre-headless \
    && rm -rf /var/lib/apt/lists/*

COPY . /src
RUN pip install --no-cache-dir '/src[audit,diagram,explore,prove,remote,reports]' && rm -rf /src

RUN useradd --create-home --uid 10001 isrproof
USER isrproof
WORKDIR /work
ENTRYPOINT ["isrproof"]
CMD ["--help"]
