import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly optionalDependencies?: Record<string, string>;
}

const file = new URL('../../package-lock.json', import.meta.url);
const { packages } = JSON.parse(fs.readFileSync(file, 'utf8')) as {
  packages: Record<string, Locked>;
};

/** Where npm would find `name` for the package at `place`: nested first, then further out. */
function resolve(place: string, name: string): Locked | undefined {
  for (
    let from = place;
    ;
    from = from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1))
  ) {
    const found = packages[`${from ? `${from}/` : ''}node_modules/${name}`];
    if (found || from === '') return found;
  }
}

describe('the lock file', () => {
  it('holds every package that some platform needs, so that "npm ci" accepts it everywhere', () => {
    const wanted = Object.entries(packages).flatMap(([place, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {}).map((name) => ({ place, name })),
    );

    const missing = wanted.filter(({ place, name }) => !resolve(place, name)?.version);

    expect(wanted.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it('names no registry, so that it installs from any mirror', () => {
    const named = Object.entries(packages).filter(([, { resolved }]) =>
      /^https?:/.test(resolved ?? ''),
    );

    expect(named).toEqual([]);
  });

  it('fixes the content of every package', () => {
    const places = Object.entries(packages).filter(([place, { link }]) => place !== '' && !link);

    expect(places.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))).toEqual([]);
  });
});
