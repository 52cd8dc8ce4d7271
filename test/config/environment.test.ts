import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { ConfigError, readConfig } from '../../src/config.ts';
import { temporalAddress } from '../../src/temporal/address.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** The least that production needs. */
const IN_PRODUCTION = {
  NODE_ENV: 'production',
  BASE_URL: 'https://messaging.example.com',
  DATABASE_URL: 'postgresql://wms_owner:secret@db:5432/wms',
  TEMPORAL_ADDRESS: 'temporal:7233',
  WHATSAPP_API_URL: 'https://graph.facebook.com',
  WHATSAPP_APP_SECRET: 'the app secret',
  WHATSAPP_VERIFY_TOKEN: 'a word of our own',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
};

describe('the environment', () => {
  it('may be empty: everything has a default', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 3000,
      SIMULATOR_PORT: 3001,
      ROLES: ['api', 'worker'],
      NODE_ENV: 'development',
    });
  });

  it('counts a variable that is set to nothing as not set', () => {
    expect(readConfig({ PORT: '', TEMPORAL_ADDRESS: '' }).PORT).toBe(3000);
  });

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '70000'],
    ['BASE_URL', 'localhost:3000'],
    ['BASE_URL', 'https://example.com/messaging'],
    ['BASE_URL', 'https://example.com//'],
    ['BASE_URL', 'https://example.com?'],
    ['BASE_URL', 'https://example.com/#top'],
    ['BASE_URL', 'https://me@example.com'],
    ['DATABASE_URL', 'mysql://db/x'],
    ['DATABASE_URL', `${IN_PRODUCTION.DATABASE_URL}?options=-c%20role%3Dwms_owner`],
    ['TEMPORAL_ADDRESS', 'temporal'],
    ['TEMPORAL_ADDRESS', 'temporal:0'],
    ['TEMPORAL_ADDRESS', 'temporal:72333'],
    ['TEMPORAL_BUILD_ID', 'release 1.2.0'],
    ['TEMPORAL_UI_URL', 'temporal.example.com'],
    ['TEMPORAL_METRICS_ADDRESS', '9464'],
    ['TEMPORAL_METRICS_ADDRESS', 'localhost:9464'],
    ['TEMPORAL_METRICS_ADDRESS', '127.0.0.1:65536'],
    ['TEMPORAL_METRICS_ADDRESS', '::1:9464'],
    ['ROLES', 'api,cron'],
    ['ENCRYPTION_KEYS', 'k1:short'],
    ['ENCRYPTION_KEYS', `k1:lost,${IN_PRODUCTION.ENCRYPTION_KEYS.replace('k1', 'k2')}`],
    ['ENCRYPTION_KEYS', `${IN_PRODUCTION.ENCRYPTION_KEYS},${IN_PRODUCTION.ENCRYPTION_KEYS}`],
    ['ENCRYPTION_KEYS', `${IN_PRODUCTION.ENCRYPTION_KEYS},k2:lost,k2:lost`],
    ['ENCRYPTION_KEYS', IN_PRODUCTION.ENCRYPTION_KEYS.replace('k1', 'k'.repeat(33))],
    ['WEBHOOK_TRUSTED_ORIGINS', 'http://127.0.0.1:9000/path'],
    ['AI_BASE_URL', 'api.example.com/v1'],
    ['WHATSAPP_API_VERSION', '23'],
    ['WHATSAPP_APP_SECRET', 'seven77'],
    ['WHATSAPP_VERIFY_TOKEN', 'seven77'],
    ['SMTP_URL', 'http://mail.example.com'],
    ['MAIL_FROM', 'no-reply@example.com, all@example.com'],
    ['MAIL_FROM', 'Messaging <no-reply@example.com>\r\nBcc: all@example.com'],
    ['AI_TIMEOUT_SECONDS', '0'],
    ['AI_TIMEOUT_SECONDS', '41'],
    ['AI_TIMEOUT_SECONDS', '30.5'],
    ['AI_MAX_TOKENS', 'all'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['FAULT', 'after-commit:1'],
    ['NODE_ENV', 'staging'],
    ['LOG_LEVEL', 'loud'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/'],
    ['TRUSTED_PROXIES', '::1,10.0.0.0/8/8'],
    ['TEMPORAL_TLS_CA_FILE', '/nowhere/ca.pem'],
    ['TEMPORAL_TLS_CA_FILE', '/'],
  ])('stops the start when %s is %s, and says how it is written', (name, value) => {
    const [problem] = problemsOf({ [name]: value });

    expect(problem).toMatch(new RegExp(`^${name} is not .+\\. Example: ${name}=.+`));
  });

  it('makes one origin of the public address, however it is written', () => {
    const addresses = ['https://example.com', 'https://example.com/', 'https://Example.com:443/'];

    for (const BASE_URL of addresses)
      expect(readConfig({ BASE_URL }).BASE_URL).toBe('https://example.com');
  });

  it('names every wrong value at once', () => {
    expect(problemsOf({ PORT: 'x', ROLES: 'y' })).toHaveLength(2);
  });

  it('refuses trusted origins in production', () => {
    const origins = { WEBHOOK_TRUSTED_ORIGINS: 'http://127.0.0.1:9000' };

    expect(problemsOf({ ...IN_PRODUCTION, ...origins })).toEqual([
      expect.stringMatching(/^WEBHOOK_TRUSTED_ORIGINS .+ refused in production/),
    ]);
  });

  it('replaces nothing in production by what is made for a laptop', () => {
    const { NODE_ENV, ...needed } = IN_PRODUCTION;

    expect(problemsOf(IN_PRODUCTION)).toEqual([]);
    for (const name of Object.keys(needed))
      expect(problemsOf({ ...IN_PRODUCTION, [name]: '' })).toEqual([
        expect.stringMatching(new RegExp(`^${name} is required .+ Example: ${name}=.+`)),
      ]);
    expect(problemsOf({ NODE_ENV })).toHaveLength(5);
  });

  it.each(['FAULT=after-commit:1:kill', 'BACKOFF_SCALE=0.01', 'TENANT_FILTER=off'])(
    'refuses the test switch %s unless NODE_ENV is test',
    (setting) => {
      const [name = '', value = ''] = setting.split('=');

      expect(problemsOf({ ...IN_PRODUCTION, [name]: value })).toEqual([
        `${name} is a test switch and refused unless NODE_ENV=test. Leave it out.`,
      ]);
      expect(problemsOf({ [name]: value, NODE_ENV: 'test' })).toEqual([]);
    },
  );

  it('wants one port for each server, and a certificate together with its key', () => {
    const file = import.meta.filename;
    const problems = problemsOf({
      PORT: '4000',
      SIMULATOR_PORT: '4000',
      TEMPORAL_TLS_CERT_FILE: file,
    });

    expect(problems).toEqual([
      'TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE belong together. Set both.',
      'SIMULATOR_PORT is the same as PORT. Example: SIMULATOR_PORT=3001',
    ]);
    expect(problemsOf({ TEMPORAL_TLS_KEY_FILE: file })).toEqual([problems[0]]);
  });

  it('takes the items of a list however they are set apart', () => {
    const { ROLES, TRUSTED_PROXIES } = readConfig({
      ROLES: 'api, worker',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
    });

    expect(ROLES).toEqual(['api', 'worker']);
    expect(TRUSTED_PROXIES).toEqual(['10.0.0.0/8', '::1']);
  });

  it('sends no API key to a Temporal without TLS, whether or not a certificate is named', () => {
    const file = import.meta.filename;
    const hosted = { TEMPORAL_ADDRESS: 'eu.example.com:7233', TEMPORAL_API_KEY: 'secret' };
    const reached = { address: 'eu.example.com:7233', namespace: 'default', apiKey: 'secret' };
    const own = { serverRootCACertificate: readFileSync(file) };

    expect(temporalAddress(readConfig(hosted))).toEqual({ ...reached, tls: true });
    expect(temporalAddress(readConfig({ ...hosted, TEMPORAL_TLS_CA_FILE: file }))).toEqual({
      ...reached,
      tls: own,
    });
  });

  it('wants the address of the AI together with its model', () => {
    const both = 'AI_BASE_URL and AI_MODEL belong together. Set both.';

    expect(problemsOf({ AI_MODEL: 'a-model' })).toEqual([both]);
    expect(problemsOf({ AI_BASE_URL: 'http://127.0.0.1:11434/v1' })).toEqual([both]);
  });

  it('wants the secrets of WhatsApp with its address', () => {
    const problems = problemsOf({ WHATSAPP_API_URL: 'https://graph.facebook.com' });

    expect(problems.map((problem) => problem.split(' ')[0])).toEqual([
      'WHATSAPP_APP_SECRET',
      'WHATSAPP_VERIFY_TOKEN',
    ]);
  });
});
