import { listNumbers } from '../../numbers/reading.ts';
import type { Page } from '../page.ts';
import { EVERYBODY } from '../parts/listing.ts';

/** The names of the numbers that the person sees, by id; empty with fewer than two, where it goes without saying. */
export async function numberNames({ ctx }: Page): Promise<ReadonlyMap<string, string>> {
  const { data } = await listNumbers(ctx, EVERYBODY);
  return new Map(data.length < 2 ? [] : data.map(({ id, name }) => [id, name]));
}
