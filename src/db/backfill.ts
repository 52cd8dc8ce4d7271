/**
 * SQL for a migration: the statement as the app in each workspace, which locks the rows that it changes and no table.
 * One that reads much is a migration of its own, or comes before what locks a table.
 */
export const inEachWorkspace = (statement: string): string => `
do $$
declare
  workspace text;
  workspaces text[];
begin
  perform set_config('role', 'wms_system', true);
  workspaces := array(select organization_id from workspaces);
  perform set_config('role', 'wms_app', true);
  foreach workspace in array workspaces loop
    perform set_config('app.organization', workspace, true);
    ${statement};
  end loop;
  perform set_config('app.organization', '', true);
  perform set_config('role', 'none', true);
end $$;`;
