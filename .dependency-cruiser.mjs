// The shelves, lowest first: a file uses its own shelf and those below, never above.
const shelves = [
  [
    'concurrency',
    'csv',
    'durations',
    'errors',
    'folding',
    'log',
    'ids',
    'config',
    'automated',
    'context',
    'access',
    'db',
    'net',
    'mail',
    'outbox',
    'gateway',
    'http',
    'pages',
    'temporal',
    'tracing',
    'crypto',
    'fault-points',
    'ai',
  ],
  [
    'workspaces',
    'members',
    'people',
    'api-keys',
    'numbers',
    'contacts',
    'segments',
    'groups',
    'pipelines',
    'media',
    'templates',
    'audit',
  ],
  ['conversations', 'forms'],
  ['campaigns', 'reminders', 'automations'],
  ['webhooks', 'oauth', 'inbound', 'reports', 'agent-tools'],
  [
    'relay',
    'app',
    'figures',
    'main',
    'routes',
    'readiness',
    'roles',
    'sign-in',
    'service',
    'temporal-worker',
    'cli',
    'console',
    'docs',
    'embedded',
    'simulator',
  ],
];
const any = (names) => `^src/(${names.join('|')})(/|\\.ts$)`;
const runtime = { dependencyTypesNot: ['type-only'] };

const climbing = shelves.slice(0, -1).map((names, i) => ({
  name: `shelf-${i + 1}-does-not-reach-up`,
  severity: 'error',
  from: { path: any(names), pathNot: '^src/db/orm\\.ts$' },
  to: { path: any(shelves.slice(i + 1).flat()) },
}));

export default {
  forbidden: [
    ...climbing,
    {
      name: 'every-room-stands-on-a-shelf',
      severity: 'error',
      from: { path: '^src/', pathNot: any(shelves.flat()) },
      to: {},
    },
    {
      name: 'orm-lists-entities-only',
      comment: 'db/orm.ts lists every entity by hand; it reaches up for nothing else.',
      severity: 'error',
      from: { path: '^src/db/orm\\.ts$' },
      to: { path: any(shelves.slice(1).flat()), pathNot: '/entities\\.ts$' },
    },
    {
      name: 'no-cycles',
      comment: 'Of types neither: what two files share stands below both.',
      severity: 'error',
      from: { pathNot: '^clients/' },
      to: { circular: true },
    },
    {
      name: 'rules-are-pure',
      severity: 'error',
      from: { path: '^src/[^/]+/rules\\.ts$' },
      to: { pathNot: '^src/([^/]+/rules|durations|errors|folding)\\.ts$' },
    },
    {
      name: 'workflows-run-only-pure-code',
      comment:
        'A workflow says what happens when, and is replayed: whatever reads a database, a file, a server or the clock ' +
        'belongs into activities/<feature>.ts, which the workflow calls by a proxy; decisions belong into rules.ts ' +
        '(docs/workflows.md).',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        pathNot: [
          '^workflows/',
          '^src/[^/]+/rules\\.ts$',
          'node_modules/@temporalio/(workflow|common)/',
        ],
        ...runtime,
      },
    },
    {
      name: 'activities-go-through-services',
      severity: 'error',
      from: { path: '^activities/' },
      to: { path: '^src/[^/]+/(entities|queries|routes|schema)\\.ts$', ...runtime },
    },
    {
      name: 'only-the-worker-loads-activities-and-workflows',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/temporal-worker\\.ts$' },
      to: { path: '^(activities|workflows)/', ...runtime },
    },
    {
      name: 'koa-stays-at-the-door',
      severity: 'error',
      from: {
        path: '^(src|activities|workflows)/',
        pathNot: '^src/(app\\.ts|http/|oauth/|console/|[^/]+/routes\\.ts)',
      },
      to: { path: 'node_modules/(koa|@koa)/', ...runtime },
    },
    {
      name: 'temporal-stays-out-of-features',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(temporal-worker|main|service)\\.ts$|^src/(relay|roles|temporal|cli|embedded)/',
      },
      to: { path: 'node_modules/@temporalio/', ...runtime },
    },
    {
      name: 'undici-only-where-requests-leave',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(gateway|webhooks|net|cli|simulator)/' },
      to: { path: 'node_modules/undici/', ...runtime },
    },
    {
      name: 'features-meet-at-services',
      comment: 'roles/ puts them together.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: '^src/roles/' },
      to: { path: '^src/.+/(routes|queries|schema)\\.ts$', pathNot: '^src/$1/' },
    },
    {
      name: 'simulator-stands-alone',
      severity: 'error',
      from: { path: '^src/simulator/' },
      to: { path: '^src/', pathNot: '^src/(simulator/|gateway/cloud-api/wire\\.ts)' },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
