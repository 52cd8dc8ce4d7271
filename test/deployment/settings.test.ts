import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseDocument } from 'yaml';
import { readConfig } from '../../src/config.ts';

const read = (file: string): string =>
  fs.readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

const SETTINGS = Object.keys(readConfig({}));

/** What Compose decides itself, and what is for one machine or for tests alone. */
const NOT_ASKED_FOR = [
  ...['DATA_DIR', 'SIMULATOR_PORT', 'SIMULATOR_CALLBACK_URL', 'WEBHOOK_TRUSTED_ORIGINS'],
  ...['FAULT', 'BACKOFF_SCALE', 'TENANT_FILTER'],
  // Its Temporal is the one beside it, without secrets, and with the queue of one service alone.
  ...[
    'TEMPORAL_API_KEY',
    'TEMPORAL_TLS_CERT_FILE',
    'TEMPORAL_TLS_KEY_FILE',
    'TEMPORAL_TLS_CA_FILE',
  ],
  ...['TEMPORAL_TASK_QUEUE'],
];

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly tmpfs: readonly string[];
  readonly volumes: readonly string[];
  readonly logging?: { readonly driver: string };
}

const compose = read('docker-compose.yml');
const services = parseDocument(compose, { merge: true }).toJS().services as Readonly<
  Record<'api' | 'worker', Service>
>;
const given = { ...services.api.environment, ...services.worker.environment };

describe('every setting', () => {
  it('has its place in the documentation', () => {
    const documented = read('docs/configuration.md');
    expect(SETTINGS.filter((name) => !documented.includes(`\`${name}\``))).toEqual([]);
  });

  it('comes to the service that Compose starts, under a name that it knows', () => {
    const asked = SETTINGS.filter((name) => !NOT_ASKED_FOR.includes(name));
    // The image sets the port within, at which Compose publishes another.
    expect(asked.filter((name) => !(name in given) && name !== 'PORT')).toEqual([]);
    expect(Object.keys(given).filter((name) => !SETTINGS.includes(name))).toEqual([]);
  });

  it('that Compose takes from outside is in .env.example, and nothing else', () => {
    const taken = [...compose.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const named = [...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name);
    expect([...new Set(named)].toSorted()).toEqual([...new Set(taken)].toSorted());
  });

  it('that Compose leaves empty has its default', () => {
    const empty = Object.entries(given).filter(([, value]) => /^\$\{[A-Z_]+:-\}$/.test(value));
    expect(readConfig(Object.fromEntries(empty.map(([name]) => [name, ''])))).toEqual(
      readConfig({}),
    );
  });
});

it('Compose keeps the uploads on their way to the api on the disk: in memory they would be 1.6 GB of it', () => {
  expect(services.api).toMatchObject({ tmpfs: [], volumes: ['/tmp'] });
});

it('Compose keeps no log for ever, on the disk that PostgreSQL is on', () => {
  const drivers = Object.values<Service>(services).map(({ logging }) => logging?.driver);

  expect([...new Set(drivers)]).toEqual(['local']);
});
