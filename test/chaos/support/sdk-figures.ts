import { readFileSync } from 'node:fs';

const read = (file: string): string =>
  readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');

/** All queries that operators are given: the alerts' and the dashboard's. */
function queries(): string[] {
  const alerts = [...read('prometheus/alerts.yml').matchAll(/expr: (.+)/g)];
  const { panels } = JSON.parse(read('grafana/workspace-messaging.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  return [
    ...alerts.map(([, expr = '']) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
}

/** A figure of the Temporal SDK by its name, and what must stand in its braces. */
interface Wanted {
  readonly name: string;
  readonly labels: readonly string[];
}

function wanted(query: string): Wanted[] {
  const grouped = [...query.matchAll(/\bby \(([^)]+)\)/g)].flatMap(([, by = '']) =>
    by.split(/, ?/),
  );
  return [...query.matchAll(/\b(temporal_[a-z_]+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', selected = '']) => ({
      name,
      labels: [
        // All but one: that the label is there must do.
        ...selected
          .split(',')
          .filter((label) => label !== '')
          .map((label) => label.replace(/!=".*"$/, '="')),
        ...grouped.map((label) => `${label}="`),
      ],
    }),
  );
}

/**
 * What alerts and dashboard ask of the Temporal SDK.
 *
 * @param shown the text that a worker answers at `TEMPORAL_METRICS_ADDRESS`
 */
export function askedOfTheSdk(shown: string): { all: string[]; missing: string[] } {
  const lines = shown.split('\n');
  const all = queries().flatMap(wanted);
  const isShown = ({ name, labels }: Wanted): boolean =>
    lines.some(
      (line) => line.startsWith(`${name}{`) && labels.every((label) => line.includes(label)),
    );
  const words = ({ name, labels }: Wanted): string => `${name}{${labels.join()}}`;
  return { all: all.map(words), missing: all.filter((one) => !isShown(one)).map(words) };
}
