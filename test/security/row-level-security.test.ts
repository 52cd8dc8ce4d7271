import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  database = await openTestDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});

afterAll(async () => {
  await owner.end();
  await database.close();
});

/** Tables that belong to no workspace, each with its reason. */
const SHARED = new Map([
  ['plans', 'what the plans allow, the same for everyone'],
  ['rate_windows', 'counters by credential id; only the functions of the door touch it'],
  [
    'inbound_webhooks',
    "WhatsApp's posts before anyone knows whose they are; the system role alone",
  ],
  ['opt_out_phrases', 'by which messages people leave and come back, the same for everyone'],
  ['people', 'who signs in, across workspaces; the system role alone'],
  ['person_sessions', 'of people; the system role alone'],
  ['password_resets', 'of people; the system role alone'],
  ['email_changes', 'of people; the system role alone'],
  ['passkeys', 'of people; the system role alone'],
  ['passkey_challenges', 'asked before anyone knows who answers; the system role alone'],
  ['sign_in_attempts', 'counters by account and address; the system role alone'],
  [
    'oauth_artifacts',
    'codes and tokens by their hashes, before anyone knows whose; the system role alone',
  ],
  ['oauth_denied_tokens', 'ids of access tokens that were revoked; the system role alone'],
  ['oauth_signing_keys', "the authorization server's own, the same for everyone"],
  ['migrations', "the migrator's own"],
]);

/** Where the system role may cross workspaces, and with which privileges. A new line is a decision. */
const SYSTEM = {
  api_keys: ['SELECT', 'UPDATE(last_used_at,last_used_ip)'],
  automation_drops: ['SELECT(count,reason)'],
  automation_runs: [
    'SELECT(id,lane_at,lease_until,moved_at,organization_id,status,trace,wait_until,waits_for)',
  ],
  automation_triggers: [
    'SELECT(contact_id,created_at,id,is_message,not_before,organization_id,trace)',
  ],
  automations: ['SELECT(id,organization_id,status,stopped_version,trigger_type)'],
  campaigns: ['SELECT(finished_at,id,organization_id,send_at,started_at,status,unsettled)'],
  client_refs: ['DELETE', 'SELECT(created_at)'],
  contact_import_rows: ['DELETE', 'SELECT(import_id,line,organization_id)'],
  contact_imports: [
    'SELECT(created_at,finished_at,id,organization_id,rows_gone,status)',
    'UPDATE(rows_gone)',
  ],
  conversations: ['SELECT(assigned_member_id,organization_id)'],
  email_changes: ['DELETE', 'INSERT', 'SELECT'],
  events: ['DELETE', 'INSERT', 'SELECT'],
  facts: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  forms: ['SELECT(id,organization_id,status)'],
  idempotency_keys: ['DELETE', 'SELECT(created_at)'],
  inbound_webhooks: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  invitations: ['DELETE', 'SELECT'],
  media_fetches: ['SELECT', 'UPDATE(not_before,tries)'],
  members: ['SELECT(email,id,name,organization_id,role,status,user_id)'],
  numbers: [
    'SELECT(business_account_id,held_at,id,organization_id,phone_number_id,provider,status)',
  ],
  oauth_artifacts: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  oauth_clients: ['DELETE', 'INSERT', 'SELECT', 'UPDATE(last_used_at)'],
  oauth_connections: ['DELETE', 'SELECT', 'UPDATE(last_used_at)'],
  oauth_denied_tokens: ['DELETE', 'INSERT', 'SELECT'],
  oauth_grants: ['DELETE', 'SELECT'],
  oauth_signing_keys: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  outgoing_messages: ['SELECT', 'UPDATE(attempts,claim_token,claimed_at,not_before)'],
  passkey_challenges: ['DELETE', 'INSERT', 'SELECT'],
  passkeys: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  password_resets: ['DELETE', 'INSERT', 'SELECT'],
  people: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  person_sessions: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  plans: ['SELECT'],
  reminders: ['SELECT(id,looks_at,organization_id,wakes_at)'],
  rate_windows: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  segments: ['SELECT(count_due_at,id,organization_id)'],
  service_accounts: ['SELECT'],
  sign_in_attempts: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  teams: ['SELECT(auto_assign,id,organization_id,return_after_minutes)'],
  template_syncs: ['SELECT'],
  webhook_attempts: ['DELETE', 'INSERT', 'SELECT'],
  webhook_deliveries: ['DELETE', 'INSERT', 'SELECT', 'UPDATE'],
  webhook_endpoints: ['SELECT', 'UPDATE(drain_at,failures_in_row)'],
  workspaces: ['SELECT'],
};

interface Table {
  name: string;
  has_organization: boolean;
  enabled: boolean;
  forced: boolean;
  is_partition: boolean;
  policies: { role: string; qual: string; with_check: string | null }[];
}

async function tables(): Promise<Table[]> {
  const { rows } = await owner.query<Table>(`
    select c.relname as name, c.relrowsecurity as enabled, c.relforcerowsecurity as forced, c.relispartition as is_partition,
      exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped) as has_organization,
      coalesce((select json_agg(json_build_object('role', p.roles[1], 'qual', p.qual, 'with_check', p.with_check))
                from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname), '[]'::json) as policies
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`);
  return rows;
}

describe('the catalogue', () => {
  it('gives every table a workspace, or a reason why not', async () => {
    const without = (await tables())
      .filter((table) => !table.has_organization)
      .map((table) => table.name);

    expect(without.sort()).toEqual([...SHARED.keys()].sort());
  });

  it("forces row level security on every workspace's table, reading and writing", async () => {
    const owned = (await tables()).filter((table) => table.has_organization && !table.is_partition);

    for (const table of owned) {
      const policy = table.policies.find(({ role }) => role === 'wms_app');
      expect({ ...table, policies: policy }).toMatchObject({
        enabled: true,
        forced: true,
        policies: {
          qual: '(organization_id = wms.organization())',
          with_check: '(organization_id = wms.organization())',
        },
      });
    }
  });

  it('leaves partitions reachable through their parent alone', async () => {
    const { rows } = await owner.query(`
      select table_name, grantee from information_schema.role_table_grants g
      join pg_class c on c.relname = g.table_name and c.relispartition
      where grantee in ('wms_app', 'wms_system', 'PUBLIC')`);
    const partitions = (await tables()).filter((table) => table.is_partition);

    expect(rows).toEqual([]);
    expect(partitions.length).toBeGreaterThan(0);
    expect(partitions.every((table) => table.enabled && table.forced)).toBe(true);
  });

  it('lets the system role cross workspaces only on the listed tables and columns', async () => {
    const { rows } = await owner.query<{
      name: string;
      privilege: string;
      columns: string | null;
    }>(`
      select c.relname as name, g.privilege_type as privilege, null as columns
      from pg_class c, aclexplode(c.relacl) g
      where c.relnamespace = 'public'::regnamespace and g.grantee = 'wms_system'::regrole
      union all
      select c.relname, g.privilege_type, string_agg(a.attname, ',' order by a.attname)
      from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) g
      where c.relnamespace = 'public'::regnamespace and g.grantee = 'wms_system'::regrole
      group by 1, 2`);
    const granted: Record<string, string[]> = {};
    for (const { name, privilege, columns } of rows) {
      granted[name] = [
        ...(granted[name] ?? []),
        columns ? `${privilege}(${columns})` : privilege,
      ].sort();
    }

    expect(granted).toEqual(SYSTEM);
  });

  it('keeps every foreign key between workspace tables inside the workspace', async () => {
    const { rows } = await owner.query<{ name: string; columns: string[] }>(`
      select k.conname as name, array(select a.attname from unnest(k.conkey) n
        join pg_attribute a on a.attrelid = k.conrelid and a.attnum = n) as columns
      from pg_constraint k
      where k.contype = 'f' and k.connamespace = 'public'::regnamespace and k.conparentid = 0
        -- An app of one workspace, or of none, is connected in others.
        and k.confrelid <> 'oauth_clients'::regclass
        and exists (select from pg_attribute a where a.attrelid = k.confrelid and a.attname = 'organization_id')`);

    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((key) => !key.columns.includes('organization_id'))).toEqual([]);
  });

  it('runs the service as roles that cannot pass row level security', async () => {
    const { rows } = await owner.query(
      "select rolname, rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname in ('wms_app', 'wms_search', 'wms_system') order by 1",
    );

    expect(rows).toEqual([
      { rolname: 'wms_app', rolsuper: false, rolbypassrls: false, rolcanlogin: false },
      { rolname: 'wms_search', rolsuper: false, rolbypassrls: false, rolcanlogin: false },
      { rolname: 'wms_system', rolsuper: false, rolbypassrls: false, rolcanlogin: false },
    ]);
  });

  it('pins the search path of every function with rights of its own, and keeps it from the public', async () => {
    const { rows } = await owner.query<{ name: string; path: boolean; open: boolean }>(`
      select proname as name, has_function_privilege('public', oid, 'execute') as open,
        exists (select from unnest(proconfig) c where c ~ '^search_path=.*pg_temp$') as path
      from pg_proc where prosecdef and pronamespace in ('wms'::regnamespace, 'public'::regnamespace) order by 1`);

    expect(rows.map(({ name }) => name)).toContain('find_contacts');
    expect(rows.filter(({ path, open }) => open || !path)).toEqual([]);
  });

  it('lets the role that searches read one table, write nothing, and become nobody else', async () => {
    const { rows: grants } = await owner.query(`
      select table_name as "table", privilege_type as privilege from information_schema.role_table_grants
      where grantee = 'wms_search'`);
    const { rows: may } = await owner.query(`
      select has_schema_privilege('wms_search', 'wms', 'create') as makes,
        pg_has_role('wms_search', 'wms_app', 'member') or pg_has_role('wms_app', 'wms_search', 'member') as becomes`);

    expect(grants).toEqual([{ table: 'contact_search', privilege: 'SELECT' }]);
    expect(may).toEqual([{ makes: false, becomes: false }]);
  });

  it('lets nobody change or remove an audit entry', async () => {
    const { rows } = await owner.query<{ privilege: string }>(`
      select distinct privilege_type as privilege from information_schema.role_table_grants
      where table_name = 'audit_entries' and grantee in ('wms_app', 'wms_system') order by 1`);

    expect(rows.map((row) => row.privilege)).toEqual(['INSERT', 'SELECT']);
  });
});

describe('a connection of the app role', () => {
  it('sees nothing and writes nothing while it is bound to no workspace', async () => {
    await owner.query('begin');
    await owner.query('set local role wms_app');

    const { rows } = await owner.query<{ n: number }>('select count(*)::int as n from workspaces');
    const write = owner.query("insert into teams values ('org_x', 'team_x', 'x', now())");

    expect(rows[0]?.n).toBe(0);
    await expect(write).rejects.toMatchObject({ code: '42501' });
    await owner.query('rollback');
  });
});
