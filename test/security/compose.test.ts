import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';

const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
const lines = text.split('\n');

/** Every entry of every `ports:`, in one line or below each other. */
function publishedPorts(): string[] {
  const found: string[] = [];
  lines.forEach((line, at) => {
    const [, indent, inline] = /^( *)ports: *(.*)$/.exec(line) ?? [];
    if (indent === undefined) return;
    found.push(...(inline?.match(/[^[\],\s"']+/g) ?? []));
    for (let next = at + 1; lines[next]?.startsWith(`${indent}  - `); next += 1) {
      found.push(lines[next]?.replace(/^ *- *["']?|["']? *$/g, '') ?? '');
    }
  });
  return found;
}

describe('the services beside ours', () => {
  it('cannot be reached by the host’s own public address: what is published is on loopback', () => {
    const ports = publishedPorts();

    expect(ports.length).toBeGreaterThan(0);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(lines.filter((line) => /network_mode: *["']?host/.test(line))).toEqual([]);
  });

  it('publish neither PostgreSQL nor Temporal', () => {
    const inside = publishedPorts().map((port) => port.split(':').at(-1));

    for (const port of ['5432', '7233', '8233']) expect(inside).not.toContain(port);
  });
});

describe('the containers of the service', () => {
  const { services } = parse(text, { merge: true });

  it.each(['api', 'worker', 'migrate'])('are told only settings that exist: %s', (name) => {
    const known = Object.keys(readConfig({}));
    const told = Object.keys(services[name].environment);

    expect(told.length).toBeGreaterThan(10);
    expect(told.filter((setting) => !known.includes(setting))).toEqual([]);
  });

  it.each(['api', 'worker', 'migrate'])(
    'write nowhere but /tmp, and can gain no rights: %s',
    (name) => {
      const { tmpfs, volumes = [], ...service } = services[name];

      expect([...tmpfs, ...volumes]).toEqual(['/tmp']);
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    },
  );
});
