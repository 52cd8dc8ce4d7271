import { Migration } from '@mikro-orm/migrations';

/**
 * What stands on the opt-out button that WhatsApp Manager offers for marketing templates, in its languages: a press comes
 * as a message of these words.
 */
export class Migration20261130_0148_buttons_that_opt_out extends Migration {
  override up(): void {
    this.addSql(`
insert into opt_out_phrases values
  ('stop promotions', 'out'), ('parar promocoes', 'out'), ('interromper promocoes', 'out'), ('detener promociones', 'out')`);
  }
}
