# The service, and what the chart's Jobs copy their output with. Runs as nobody in particular, writes nothing but /dev/shm.
FROM python:3.11-slim AS build
WORKDIR /source
COPY image/ image/
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r image/build.lock \
 && python -m venv --without-pip /opt/dynamo-hooks \
 && /opt/build/bin/pip --python /opt/dynamo-hooks/bin/python install --no-cache-dir --require-hashes -r image/service.lock
COPY pyproject.toml README.md ./
COPY hooks/ hooks/
COPY crds/ crds/
COPY metacontroller/ metacontroller/
RUN /opt/build/bin/pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir dist . \
 && /opt/build/bin/pip --python /opt/dynamo-hooks/bin/python install --no-cache-dir --no-deps --no-index dist/*.whl

FROM python:3.11-slim
COPY --from=build /opt/dynamo-hooks /opt/dynamo-hooks
ENV PATH=/opt/dynamo-hooks/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# Python's lock lets one thread at a time allocate: a heap for each of them would only cost memory, and grow for longer.
ENV MALLOC_ARENA_MAX=1
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["dynamo-hooks"]
CMD ["serve", "--bind=0.0.0.0:8080"]
