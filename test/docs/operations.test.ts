import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bwms_[a-z_]+[a-z]\b/g)].map(([name]) => name)),
];

const measured = new Set(
  ['src/figures.ts', 'src/http/metrics.ts'].flatMap((file) =>
    [...read(file).matchAll(/'(wms_[a-z_]+)'/g)].map(([, name]) => name),
  ),
);

const DATABASE_ROLES = ['wms_system'];

describe.each(['docs/operations.md', 'docs/grafana/workspace-messaging.json'])('%s', (file) => {
  it('names only metrics that the service has', () => {
    const named = metricsIn(read(file)).filter((name) => !DATABASE_ROLES.includes(name));
    const base = named.map((name) => name.replace(/_bucket$/, ''));

    expect(base.length).toBeGreaterThan(2);
    expect(base.filter((name) => !measured.has(name))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('is a document that Grafana takes: panels of their own ids, each with a query', () => {
    const { panels, title } = JSON.parse(read('docs/grafana/workspace-messaging.json'));
    const ids = panels.map(({ id }: { id: number }) => id);

    expect(title).toBe('Workspace Messaging');
    expect(new Set(ids).size).toBe(ids.length);
    for (const { targets } of panels)
      for (const { expr } of targets) expect(expr).toMatch(/(wms|temporal)_/);
  });
});
