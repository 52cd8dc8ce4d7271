import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

const read = (file: string): string =>
  fs.readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** What `service` consists of, but for the settings, whose ConfigMap has no labels. */
const manifests = [
  'settings/service-account.yaml',
  'worker/worker.yaml',
  'service/api.yaml',
  'service/network.yaml',
].flatMap((file) =>
  parseAllDocuments(read(`deploy/kubernetes/${file}`)).map(
    (document) => document.toJS() as Manifest,
  ),
);

const commands = [...read('docs/deployment.md').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block = '']) => block.replaceAll('\\\n', '').split(/\n| && | \| /))
  .map((line) => line.replace(/ +#.*/, '').trim());

/** Whether `kubectl … -l` takes it: a label, `=` or `!=`, a value. */
function selects(selector: string, { metadata: { labels = {} } }: Manifest): boolean {
  const [, label = '', is, value] = /^'?([^!=]+)(!?=)([^']+)'?$/.exec(selector) ?? [];
  if (!is) throw new Error(`"${selector}" is no selector that is known here`);
  return (labels[label] === value) === (is === '=');
}

describe('the commands of docs/deployment.md for Kubernetes', () => {
  it('bring a release to the workers first: all but the api, and then the api', () => {
    const steps = commands.filter((line) => /apply -k \S+\/service|rollout status/.test(line));
    const [, selector = ''] = /service -l (\S+)$/.exec(steps[0] ?? '') ?? [];
    const left = manifests.filter((manifest) => !selects(selector, manifest));

    expect(steps.slice(0, 4)).toEqual([
      `kubectl apply -k deploy/kubernetes/service -l ${selector}`,
      'kubectl rollout status deployment/wms-worker',
      'kubectl apply -k deploy/kubernetes/service',
      'kubectl rollout status deployment/wms-api',
    ]);
    expect(left.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Deployment wms-api',
      'Service wms-api',
      'PodDisruptionBudget wms-api',
    ]);
  });

  it('restart every process after they have changed the Secret, since nothing else does', () => {
    const changed = commands.lastIndexOf('kubectl apply -f -');
    const [, restarted = ''] =
      /^kubectl rollout restart deployment -l (\S+)$/.exec(commands[changed + 1] ?? '') ?? [];
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment');

    expect(commands[changed - 1]).toBe(
      'kubectl create secret generic workspace-messaging --from-env-file=secrets.env --dry-run=client -o yaml',
    );
    expect(deployments.filter((each) => selects(restarted, each))).toHaveLength(2);
  });
});
