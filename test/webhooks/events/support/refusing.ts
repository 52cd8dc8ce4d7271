import pg from 'pg';

export async function asOwner(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/**
 * Lets no transaction commit that has recorded an event with this word in it: the refusal comes at the very
 * end, after everything was written.
 */
export const refuseEventsWith = (word: string): string => `
create or replace function public.refuse() returns trigger language plpgsql as $$ begin
  raise exception 'refused by the test';
end $$;
create constraint trigger refused after insert on facts deferrable initially deferred for each row
  when (new.is_event and new.payload like '%${word}%') execute function public.refuse()`;

export const REFUSE_NO_MORE = 'drop trigger refused on facts';
