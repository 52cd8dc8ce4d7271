import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments, parseDocument } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { UPLOADS_AT_ONCE } from '../../src/http/file-places.ts';
import { operationalMounts } from '../../src/http/serving/health.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { MAX_FILE_BYTES } from '../../src/media/kinds.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const KUSTOMIZATIONS = ['settings', 'migrate', 'service', 'worker', 'release'];

interface Container {
  readonly name: string;
  readonly image: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: unknown;
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: object;
  readonly [probe: `${string}Probe`]: { readonly httpGet: { path: string; port: string } };
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchLabels?: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly securityContext: object;
        readonly terminationGracePeriodSeconds: number;
        readonly automountServiceAccountToken: boolean;
        readonly containers: readonly Container[];
        readonly volumes: readonly [{ readonly emptyDir: { readonly sizeLimit: string } }];
      };
    };
  };
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly images?: readonly { readonly newTag: string }[];
  readonly nameSuffix?: string;
  readonly labels?: readonly object[];
  readonly patches?: readonly { readonly target: object; readonly patch: string }[];
  readonly configMapGenerator?: readonly { readonly literals: readonly string[] }[];
}

/** Every document of a file; a text that is no YAML, or that names a key twice, throws. */
function documents(file: string): unknown[] {
  return parseAllDocuments(fs.readFileSync(path.join(FOLDER, file), 'utf8')).map((document) => {
    const [problem] = document.errors;
    if (problem) throw problem;
    return document.toJS();
  });
}

const kustomization = (name: string): Kustomization =>
  documents(`${name}/kustomization.yaml`)[0] as Kustomization;

const manifests = KUSTOMIZATIONS.flatMap((name) =>
  kustomization(name)
    .resources.filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => documents(`${name}/${file}`) as Manifest[]),
);
const ofKind = (...kinds: string[]): Manifest[] =>
  manifests.filter(({ kind }) => kinds.includes(kind));
const workloads = ofKind('Deployment', 'Job');
const deployments = ofKind('Deployment');
const containers = workloads.flatMap(({ spec }) => spec.template.spec.containers);

const pairs = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

const settings = pairs(
  (kustomization('settings').configMapGenerator ?? []).flatMap(({ literals }) => literals),
);
/** Those that must be filled in, and those that may be. */
const secrets = pairs(
  fs
    .readFileSync(path.join(FOLDER, 'secrets.env.example'), 'utf8')
    .split('\n')
    .filter((line) => /^#?[A-Z_]+=/.test(line))
    .map((line) => line.replace(/^#/, '')),
);

describe('the Kubernetes manifests', () => {
  it('are all listed, and everything listed is there', () => {
    for (const name of KUSTOMIZATIONS) {
      const { resources } = kustomization(name);
      const here = fs.readdirSync(path.join(FOLDER, name));

      expect(here.filter((file) => file !== 'kustomization.yaml').sort()).toEqual(
        resources.filter((file) => file.endsWith('.yaml')).sort(),
      );
      for (const file of resources) expect(fs.existsSync(path.join(FOLDER, name, file))).toBe(true);
    }
  });

  it('name only settings that the service has', () => {
    const known = Object.keys(readConfig({}));
    const named = [
      ...Object.keys(settings),
      ...Object.keys(secrets),
      ...containers.flatMap(({ env = [] }) => env.map(({ name }) => name)),
    ];

    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('are complete: with the secrets filled in, each process takes its settings', () => {
    const filledIn = {
      DATABASE_URL: secrets['DATABASE_URL'],
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
      WHATSAPP_APP_SECRET: 'a secret of the app',
      WHATSAPP_VERIFY_TOKEN: 'a word of our own',
    };

    for (const { env = [] } of containers) {
      const own = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      expect(readConfig({ ...settings, ...filledIn, ...own })).toMatchObject({
        NODE_ENV: 'production',
      });
    }
    expect(containers.map(({ env }) => env?.find(({ name }) => name === 'ROLES')?.value)).toEqual([
      undefined,
      'api',
      'worker',
    ]);
  });

  it('run one release: the migration is made by the image of the service', () => {
    expect(kustomization('migrate').images).toEqual(kustomization('service').images);
    expect(new Set(containers.map(({ image }) => image))).toEqual(new Set(['workspace-messaging']));
  });

  it('let workers of two releases run side by side: names, what selects them and build id are the release’s own', () => {
    const { nameSuffix, labels, images = [], patches = [] } = kustomization('release');
    const version = images[0]?.newTag;

    expect(images).toEqual(kustomization('service').images);
    expect(nameSuffix).toBe(`-${version?.replaceAll('.', '-')}`);
    expect(labels).toEqual([
      { pairs: { 'app.kubernetes.io/version': version }, includeSelectors: true },
    ]);
    expect(patches.map(({ target }) => target)).toEqual([{ kind: 'Deployment' }]);
    expect(parseDocument(patches[0]?.patch ?? '').toJS()).toEqual([
      {
        op: 'add',
        path: '/spec/template/spec/containers/0/env/-',
        value: { name: 'TEMPORAL_BUILD_ID', value: version },
      },
    ]);
    expect(readConfig({ TEMPORAL_BUILD_ID: version }).TEMPORAL_BUILD_ID).toBe(version);
  });

  it('let no process be root, write to its image, gain rights or talk to Kubernetes', () => {
    expect(workloads).toHaveLength(3);
    for (const { spec } of workloads) {
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      for (const { securityContext, resources } of spec.template.spec.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  it('ask for health at addresses that exist, and for the database only before traffic comes', () => {
    const paths = operationalMounts([], httpMetrics()).map((mount) => mount.path);

    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers;
      const asked = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;
      const probes = asked.map((probe) => container?.[probe]?.httpGet);

      expect(probes.map((probe) => probe?.path)).toEqual(['/healthz', '/readyz', '/healthz']);
      for (const probe of probes) {
        expect(paths).toContain(probe?.path);
        expect(container?.ports?.map(({ name }) => name)).toContain(probe?.port);
      }
    }
  });

  it('give a process time to finish, keep one of each role, and let in whom they name', () => {
    const budgets = ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels);

    expect(deployments).toHaveLength(2);
    for (const { spec } of deployments) {
      const { labels } = spec.template.metadata;
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(45);
      expect(spec.selector.matchLabels).toEqual(labels);
      expect(budgets).toContainEqual(labels);
    }
    expect(ofKind('NetworkPolicy')).toHaveLength(2);
  });

  it('give an api room for as many uploads as it takes at once', () => {
    const api = deployments.find(({ metadata }) => metadata.name === 'wms-api');
    const [, gigabytes] =
      /^(\d+)Gi$/.exec(api?.spec.template.spec.volumes[0].emptyDir.sizeLimit ?? '') ?? [];

    expect(Number(gigabytes) * 2 ** 30).toBeGreaterThan(UPLOADS_AT_ONCE * MAX_FILE_BYTES);
  });

  it('show their figures at the ports that Prometheus is told to ask', () => {
    const [{ scrape_configs: jobs }] = documents('../../docs/prometheus/prometheus.yml') as [
      { scrape_configs: { relabel_configs?: { action?: string; regex: string }[] }[] },
    ];
    const kept = jobs.flatMap(({ relabel_configs = [] }) =>
      relabel_configs.filter(({ action }) => action === 'keep').map(({ regex }) => regex),
    );
    const ports = deployments.flatMap(({ spec }) => spec.template.spec.containers[0]?.ports ?? []);

    expect(kept).toEqual(['workspace-messaging', 'http|temporal']);
    expect(new Set(ports.map(({ name }) => name))).toEqual(new Set(['http', 'temporal']));
  });
});
