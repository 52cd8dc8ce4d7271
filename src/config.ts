import { z } from 'zod';
import {
  address,
  file,
  keys,
  origin,
  origins,
  port,
  proxies,
  roles,
  sender,
  share,
  socketAddress,
  url,
  webUrl,
  whole,
} from './config/values.ts';

/** Every setting of `docs/configuration.md`: how it is parsed, and an example for error messages. */
const settings = {
  PORT: { schema: port.default(3000), example: '3000' },
  BASE_URL: { schema: origin.optional(), example: 'https://messaging.example.com' },
  DATA_DIR: { schema: z.string().min(1).optional(), example: '.data' },
  DATABASE_URL: {
    // They would replace the service's own, which bind a connection to a role.
    schema: url(['postgres:', 'postgresql:'])
      .refine(
        (value) => !URL.parse(value)?.searchParams.has('options'),
        'it has options, which the service sets itself',
      )
      .optional(),
    example: 'postgresql://wms_owner:secret@db:5432/wms',
  },
  TEMPORAL_ADDRESS: {
    schema: address.optional(),
    example: 'temporal:7233',
  },
  TEMPORAL_NAMESPACE: { schema: z.string().min(1).default('default'), example: 'default' },
  TEMPORAL_TASK_QUEUE: { schema: z.string().min(1).default('wms'), example: 'wms' },
  TEMPORAL_BUILD_ID: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9][\w.-]{0,99}$/, 'is not letters, digits, dots, dashes and underscores')
      .optional(),
    example: '1.2.0',
  },
  TEMPORAL_API_KEY: { schema: z.string().min(1).optional(), example: 'ey…' },
  TEMPORAL_TLS_CERT_FILE: { schema: file.optional(), example: '/run/secrets/temporal.pem' },
  TEMPORAL_TLS_KEY_FILE: { schema: file.optional(), example: '/run/secrets/temporal.key' },
  TEMPORAL_TLS_CA_FILE: { schema: file.optional(), example: '/run/secrets/ca.pem' },
  TEMPORAL_METRICS_ADDRESS: {
    schema: socketAddress.optional(),
    example: '127.0.0.1:9464',
  },
  TEMPORAL_UI_URL: { schema: webUrl.optional(), example: 'https://temporal.example.com' },
  WHATSAPP_API_URL: { schema: webUrl.optional(), example: 'https://graph.facebook.com' },
  WHATSAPP_API_VERSION: {
    schema: z
      .string()
      .regex(/^v\d+\.\d+$/, 'is not a version')
      .default('v23.0'),
    example: 'v23.0',
  },
  WHATSAPP_APP_SECRET: {
    schema: z.string().min(8).optional(),
    example: 'the app secret of the Meta app',
  },
  WHATSAPP_VERIFY_TOKEN: { schema: z.string().min(8).optional(), example: 'a word of your own' },
  SIMULATOR_PORT: { schema: port.default(3001), example: '3001' },
  SIMULATOR_CALLBACK_URL: {
    schema: webUrl.optional(),
    example: 'http://127.0.0.1:3000/webhooks/whatsapp',
  },
  SMTP_URL: {
    schema: url(['smtp:', 'smtps:']).optional(),
    example: 'smtp://user:password@mail.example.com:587',
  },
  MAIL_FROM: {
    schema: sender.optional(),
    example: 'Messaging <no-reply@example.com>',
  },
  AI_BASE_URL: { schema: webUrl.optional(), example: 'https://ai.example.com/v1' },
  AI_API_KEY: { schema: z.string().min(1).optional(), example: 'sk-…' },
  AI_MODEL: { schema: z.string().min(1).max(200).optional(), example: 'gpt-4.1-mini' },
  AI_TIMEOUT_SECONDS: { schema: whole(1, 40).default(30), example: '30' },
  AI_MAX_TOKENS: { schema: whole(16, 32_000).default(1_000), example: '1000' },
  UPLOAD_MB_PER_DAY: { schema: whole(100, 100_000_000).default(10_000), example: '10000' },
  OTEL_EXPORTER_OTLP_ENDPOINT: { schema: webUrl.optional(), example: 'http://collector:4318' },
  OTEL_EXPORTER_OTLP_HEADERS: { schema: z.string().optional(), example: 'x-api-key=secret' },
  OTEL_SERVICE_NAME: {
    schema: z.string().min(1).default('workspace-messaging'),
    example: 'workspace-messaging',
  },
  OTEL_TRACES_SAMPLER_ARG: { schema: share.default(1), example: '0.1' },
  ROLES: { schema: roles.default(['api', 'worker']), example: 'api,worker' },
  ENCRYPTION_KEYS: { schema: keys.optional(), example: 'k1:<base64 of 32 random bytes>' },
  WEBHOOK_TRUSTED_ORIGINS: { schema: origins.optional(), example: 'http://127.0.0.1:9000' },
  TRUSTED_PROXIES: { schema: proxies.default([]), example: '10.0.0.0/8' },
  NODE_ENV: {
    schema: z
      .enum(['development', 'production', 'test'], 'is not development, production or test')
      .default('development'),
    example: 'production',
  },
  LOG_LEVEL: {
    schema: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'is not a log level')
      .default('info'),
    example: 'info',
  },
  LOG_FORMAT: {
    schema: z.enum(['json', 'pretty'], 'is not json or pretty').optional(),
    example: 'json',
  },
  FAULT: {
    schema: z
      .string()
      .regex(/^[a-z-]+:\d+:kill$/, 'is not point:nth:kill')
      .optional(),
    example: 'after-commit:1:kill',
  },
  BACKOFF_SCALE: {
    schema: z
      .string()
      .regex(/^\d*\.?\d+$/, 'is not a number')
      .transform(Number)
      .optional(),
    example: '0.01',
  },
  TENANT_FILTER: { schema: z.enum(['on', 'off'], 'is not on or off').default('on'), example: 'on' },
} as const;

type Settings = typeof settings;

/** The parsed settings: numbers, lists and defaults instead of texts. */
export type Config = { readonly [K in keyof Settings]: z.output<Settings[K]['schema']> };

/** Where the service is reached as long as no BASE_URL is set. */
export const ownAddress = ({ PORT }: Pick<Config, 'PORT'>): string => `http://localhost:${PORT}`;

/** All wrong settings, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the environment once. Throws a `ConfigError` that names every wrong setting, with an example. */
export function readConfig(environment: Environment = process.env): Config {
  const { config, problems } = examineConfig(environment);
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

/** A configuration, and what is wrong with it. */
interface Examined {
  /** Wrong settings are as if they were not set. */
  readonly config: Config;
  /** Sentences, with an example each. */
  readonly problems: readonly string[];
  /** The settings that cannot be read; those that only contradict each other are not among them. */
  readonly unreadable: ReadonlySet<string>;
}

/** Reads the environment as far as it can be read. */
export function examineConfig(environment: Environment): Examined {
  const problems: string[] = [];
  const unreadable = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [name, { schema, example }] of Object.entries(settings)) {
    // An empty variable counts as unset, because compose files pass those.
    const parsed = schema.safeParse(environment[name] || undefined);
    values[name] = parsed.success ? parsed.data : schema.safeParse(undefined).data;
    if (parsed.success) continue;
    unreadable.add(name);
    problems.push(`${name} ${reason(parsed.error)}. Example: ${name}=${example}`);
  }
  const config = values as Config;
  if (problems.length > 0) return { config, problems, unreadable };
  const refused = [
    ...refusedInProduction(config),
    ...refusedOutsideTests(config),
    ...incomplete(config),
  ];
  return { config, problems: refused, unreadable };
}

function reason(error: z.ZodError): string {
  const message = error.issues[0]?.message ?? 'is not valid';
  return message.startsWith('is ') ? message : `is not valid: ${message}`;
}

/** What stands in for these on a laptop keeps nothing secret, and nothing for long. */
const NEEDED_IN_PRODUCTION = [
  'BASE_URL',
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'WHATSAPP_API_URL',
  'ENCRYPTION_KEYS',
] as const;

function refusedInProduction(config: Config): string[] {
  if (config.NODE_ENV !== 'production') return [];
  const problems = NEEDED_IN_PRODUCTION.filter((name) => !config[name]).map(
    (name) => `${name} is required in production. Example: ${name}=${settings[name].example}`,
  );
  if (config.WEBHOOK_TRUSTED_ORIGINS)
    problems.push(
      'WEBHOOK_TRUSTED_ORIGINS is for development and refused in production. Leave it out.',
    );
  return problems;
}

/** Switches that deliberately break promises must never reach a real deployment. */
function refusedOutsideTests(config: Config): string[] {
  if (config.NODE_ENV === 'test') return [];
  const set = (['FAULT', 'BACKOFF_SCALE'] as const).filter(
    (name) => config[name] !== undefined,
  ) as string[];
  if (config.TENANT_FILTER === 'off') set.push('TENANT_FILTER');
  return set.map(
    (name) => `${name} is a test switch and refused unless NODE_ENV=test. Leave it out.`,
  );
}

function incomplete(config: Config): string[] {
  const problems: string[] = [];
  if (!config.TEMPORAL_TLS_CERT_FILE !== !config.TEMPORAL_TLS_KEY_FILE)
    problems.push('TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE belong together. Set both.');
  if (!config.AI_BASE_URL !== !config.AI_MODEL)
    problems.push('AI_BASE_URL and AI_MODEL belong together. Set both.');
  if (!config.WHATSAPP_API_URL) {
    if (config.SIMULATOR_PORT === config.PORT)
      problems.push('SIMULATOR_PORT is the same as PORT. Example: SIMULATOR_PORT=3001');
    return problems;
  }
  const missing = (['WHATSAPP_APP_SECRET', 'WHATSAPP_VERIFY_TOKEN'] as const)
    .filter((name) => !config[name])
    .map(
      (name) =>
        `${name} is required when WHATSAPP_API_URL is set. Example: ${name}=${settings[name].example}`,
    );
  return [...problems, ...missing];
}
