import { Migration20261121_0001_workspaces } from './20261121_0001_workspaces.ts';
import { Migration20261121_0002_messaging } from './20261121_0002_messaging.ts';
import { Migration20261121_0003_facts_and_webhooks } from './20261121_0003_facts_and_webhooks.ts';
import { Migration20261121_0004_door } from './20261121_0004_door.ts';
import { Migration20261121_0005_people_and_access } from './20261121_0005_people_and_access.ts';
import { Migration20261121_0006_pipelines_groups_segments } from './20261121_0006_pipelines_groups_segments.ts';
import { Migration20261121_0007_talk } from './20261121_0007_talk.ts';
import { Migration20261121_0008_automations_and_reminders } from './20261121_0008_automations_and_reminders.ts';
import { Migration20261121_0009_leaving } from './20261121_0009_leaving.ts';
import { Migration20261121_0010_contacts } from './20261121_0010_contacts.ts';
import { Migration20261121_0011_media } from './20261121_0011_media.ts';
import { Migration20261121_0012_segments_in_use } from './20261121_0012_segments_in_use.ts';
import { Migration20261121_0013_forms } from './20261121_0013_forms.ts';
import { Migration20261121_0014_reminders } from './20261121_0014_reminders.ts';
import { Migration20261121_0015_automation_triggers } from './20261121_0015_automation_triggers.ts';
import { Migration20261121_0016_reports } from './20261121_0016_reports.ts';
import { Migration20261121_0017_recipients_of_contacts } from './20261121_0017_recipients_of_contacts.ts';
import { Migration20261121_0018_phones_without_whatsapp } from './20261121_0018_phones_without_whatsapp.ts';
import { Migration20261121_0019_since_when_without_whatsapp } from './20261121_0019_since_when_without_whatsapp.ts';
import { Migration20261121_0020_endpoints_of_members } from './20261121_0020_endpoints_of_members.ts';
import { Migration20261121_0021_backlogs } from './20261121_0021_backlogs.ts';
import { Migration20261121_0022_history } from './20261121_0022_history.ts';
import { Migration20261121_0023_facts_by_workspace } from './20261121_0023_facts_by_workspace.ts';
import { Migration20261121_0024_running } from './20261121_0024_running.ts';
import { Migration20261121_0025_listening } from './20261121_0025_listening.ts';
import { Migration20261121_0026_reminders_run } from './20261121_0026_reminders_run.ts';
import { Migration20261121_0027_guards } from './20261121_0027_guards.ts';
import { Migration20261121_0028_clock } from './20261121_0028_clock.ts';
import { Migration20261121_0030_engine } from './20261121_0030_engine.ts';
import { Migration20261121_0031_short_waits } from './20261121_0031_short_waits.ts';
import { Migration20261121_0032_rush } from './20261121_0032_rush.ts';
import { Migration20261121_0033_quick_recipients } from './20261121_0033_quick_recipients.ts';
import { Migration20261121_0035_conditions } from './20261121_0035_conditions.ts';
import { Migration20261121_0037_drops_counted } from './20261121_0037_drops_counted.ts';
import { Migration20261121_0038_held_back } from './20261121_0038_held_back.ts';
import { Migration20261121_0039_claims_leave_indexes_alone } from './20261121_0039_claims_leave_indexes_alone.ts';
import { Migration20261121_0040_campaigns_spare_contacts } from './20261121_0040_campaigns_spare_contacts.ts';
import { Migration20261121_0043_watched } from './20261121_0043_watched.ts';
import { Migration20261121_0044_oauth } from './20261121_0044_oauth.ts';
import { Migration20261121_0045_signing_in } from './20261121_0045_signing_in.ts';
import { Migration20261121_0046_room_for_reports } from './20261121_0046_room_for_reports.ts';
import { Migration20261122_0047_where_keys_are_used } from './20261122_0047_where_keys_are_used.ts';
import { Migration20261122_0053_traces } from './20261122_0053_traces.ts';
import { Migration20261122_0054_new_people_stay_counted } from './20261122_0054_new_people_stay_counted.ts';
import { Migration20261122_0057_what_numbers_imply } from './20261122_0057_what_numbers_imply.ts';
import { Migration20261122_0060_days_of_clocks } from './20261122_0060_days_of_clocks.ts';
import { Migration20261122_0061_grams_without_statistics } from './20261122_0061_grams_without_statistics.ts';
import { Migration20261122_0062_workspaces_without_statistics } from './20261122_0062_workspaces_without_statistics.ts';
import { Migration20261123_0063_every_workspace_passes_for_all } from './20261123_0063_every_workspace_passes_for_all.ts';
import { Migration20261123_0064_rules_of_campaigns } from './20261123_0064_rules_of_campaigns.ts';
import { Migration20261123_0065_reminders_by_phone } from './20261123_0065_reminders_by_phone.ts';
import { Migration20261123_0066_forgotten_phones } from './20261123_0066_forgotten_phones.ts';
import { Migration20261123_0067_runs_of_deleted_people } from './20261123_0067_runs_of_deleted_people.ts';
import { Migration20261123_0068_files_of_merged_people } from './20261123_0068_files_of_merged_people.ts';
import { Migration20261123_0069_latest_of_a_member } from './20261123_0069_latest_of_a_member.ts';
import { Migration20261123_0070_report_remains } from './20261123_0070_report_remains.ts';
import { Migration20261123_0071_merged_people } from './20261123_0071_merged_people.ts';
import { Migration20261123_0072_left_behind } from './20261123_0072_left_behind.ts';
import { Migration20261123_0073_where_to } from './20261123_0073_where_to.ts';
import { Migration20261123_0074_unsettled_campaigns } from './20261123_0074_unsettled_campaigns.ts';
import { Migration20261123_0075_connected_workspaces } from './20261123_0075_connected_workspaces.ts';
import { Migration20261123_0076_passwords_taken } from './20261123_0076_passwords_taken.ts';
import { Migration20261123_0078_held_numbers } from './20261123_0078_held_numbers.ts';
import { Migration20261123_0080_news_of_groups } from './20261123_0080_news_of_groups.ts';
import { Migration20261124_0081_counted_contacts } from './20261124_0081_counted_contacts.ts';
import { Migration20261126_0082_days_behind } from './20261126_0082_days_behind.ts';
import { Migration20261126_0083_numbers_down_since } from './20261126_0083_numbers_down_since.ts';
import { Migration20261127_0084_quality_as_of } from './20261127_0084_quality_as_of.ts';
import { Migration20261127_0085_contacts_counted_before } from './20261127_0085_contacts_counted_before.ts';
import { Migration20261127_0086_cancelled_before } from './20261127_0086_cancelled_before.ts';
import { Migration20261127_0087_messages_by_apps } from './20261127_0087_messages_by_apps.ts';
import { Migration20261127_0088_limits_of_running_campaigns } from './20261127_0088_limits_of_running_campaigns.ts';
import { Migration20261127_0089_retries_of_campaigns } from './20261127_0089_retries_of_campaigns.ts';
import { Migration20261127_0090_opted_in_at } from './20261127_0090_opted_in_at.ts';
import { Migration20261127_0091_rows_of_imports } from './20261127_0091_rows_of_imports.ts';
import { Migration20261127_0092_by_apps_before } from './20261127_0092_by_apps_before.ts';
import { Migration20261127_0093_fewer_tries } from './20261127_0093_fewer_tries.ts';
import { Migration20261127_0094_endpoints_of_the_suspended } from './20261127_0094_endpoints_of_the_suspended.ts';
import { Migration20261127_0095_messages_first } from './20261127_0095_messages_first.ts';
import { Migration20261128_0096_files_of_deleted_people } from './20261128_0096_files_of_deleted_people.ts';
import { Migration20261128_0097_client_refs_opened } from './20261128_0097_client_refs_opened.ts';
import { Migration20261128_0098_client_refs_end } from './20261128_0098_client_refs_end.ts';
import { Migration20261128_0099_given_up } from './20261128_0099_given_up.ts';
import { Migration20261128_0100_words_of_campaigns } from './20261128_0100_words_of_campaigns.ts';
import { Migration20261128_0104_begun_anew } from './20261128_0104_begun_anew.ts';
import { Migration20261128_0111_causes_of_reminders } from './20261128_0111_causes_of_reminders.ts';
import { Migration20261128_0114_last_closed } from './20261128_0114_last_closed.ts';
import { Migration20261128_0117_away_since } from './20261128_0117_away_since.ts';
import { Migration20261128_0119_endpoints_of_apps } from './20261128_0119_endpoints_of_apps.ts';
import { Migration20261128_0120_email_changes } from './20261128_0120_email_changes.ts';
import { Migration20261128_0121_apps_of_endpoints } from './20261128_0121_apps_of_endpoints.ts';
import { Migration20261128_0122_days_of_conversations } from './20261128_0122_days_of_conversations.ts';
import { Migration20261128_0123_latest_in_stage } from './20261128_0123_latest_in_stage.ts';
import { Migration20261128_0124_paused_by_operators } from './20261128_0124_paused_by_operators.ts';
import { Migration20261128_0125_accounts_of_numbers } from './20261128_0125_accounts_of_numbers.ts';
import { Migration20261128_0126_counts_of_segments } from './20261128_0126_counts_of_segments.ts';
import { Migration20261129_0127_addresses_of_nobody } from './20261129_0127_addresses_of_nobody.ts';
import { Migration20261129_0138_turns_of_inbound } from './20261129_0138_turns_of_inbound.ts';
import { Migration20261129_0139_failed_looks } from './20261129_0139_failed_looks.ts';
import { Migration20261129_0140_files_of_ours } from './20261129_0140_files_of_ours.ts';
import { Migration20261129_0141_tags_that_look_the_same } from './20261129_0141_tags_that_look_the_same.ts';
import { Migration20261129_0142_windows_without_words } from './20261129_0142_windows_without_words.ts';
import { Migration20261129_0143_untrue_before } from './20261129_0143_untrue_before.ts';
import { Migration20261130_0144_bytes_uploaded } from './20261130_0144_bytes_uploaded.ts';
import { Migration20261130_0145_imports_through_apps } from './20261130_0145_imports_through_apps.ts';
import { Migration20261130_0146_restricted_until } from './20261130_0146_restricted_until.ts';
import { Migration20261130_0148_buttons_that_opt_out } from './20261130_0148_buttons_that_opt_out.ts';
import { Migration20261130_0156_reminders_of_deleted_people } from './20261130_0156_reminders_of_deleted_people.ts';
import { Migration20261130_0157_deliveries_written_sooner } from './20261130_0157_deliveries_written_sooner.ts';

/** In the order they run. Forward only: a released one is never edited. */
export const migrations = [
  { name: '20261121_0001_workspaces', class: Migration20261121_0001_workspaces },
  { name: '20261121_0002_messaging', class: Migration20261121_0002_messaging },
  { name: '20261121_0003_facts_and_webhooks', class: Migration20261121_0003_facts_and_webhooks },
  { name: '20261121_0004_door', class: Migration20261121_0004_door },
  { name: '20261121_0005_people_and_access', class: Migration20261121_0005_people_and_access },
  {
    name: '20261121_0006_pipelines_groups_segments',
    class: Migration20261121_0006_pipelines_groups_segments,
  },
  { name: '20261121_0007_talk', class: Migration20261121_0007_talk },
  {
    name: '20261121_0008_automations_and_reminders',
    class: Migration20261121_0008_automations_and_reminders,
  },
  { name: '20261121_0009_leaving', class: Migration20261121_0009_leaving },
  { name: '20261121_0010_contacts', class: Migration20261121_0010_contacts },
  { name: '20261121_0011_media', class: Migration20261121_0011_media },
  { name: '20261121_0012_segments_in_use', class: Migration20261121_0012_segments_in_use },
  { name: '20261121_0013_forms', class: Migration20261121_0013_forms },
  { name: '20261121_0014_reminders', class: Migration20261121_0014_reminders },
  { name: '20261121_0015_automation_triggers', class: Migration20261121_0015_automation_triggers },
  { name: '20261121_0016_reports', class: Migration20261121_0016_reports },
  {
    name: '20261121_0017_recipients_of_contacts',
    class: Migration20261121_0017_recipients_of_contacts,
  },
  {
    name: '20261121_0018_phones_without_whatsapp',
    class: Migration20261121_0018_phones_without_whatsapp,
  },
  {
    name: '20261121_0019_since_when_without_whatsapp',
    class: Migration20261121_0019_since_when_without_whatsapp,
  },
  {
    name: '20261121_0020_endpoints_of_members',
    class: Migration20261121_0020_endpoints_of_members,
  },
  { name: '20261121_0021_backlogs', class: Migration20261121_0021_backlogs },
  { name: '20261121_0022_history', class: Migration20261121_0022_history },
  { name: '20261121_0023_facts_by_workspace', class: Migration20261121_0023_facts_by_workspace },
  { name: '20261121_0024_running', class: Migration20261121_0024_running },
  { name: '20261121_0025_listening', class: Migration20261121_0025_listening },
  { name: '20261121_0026_reminders_run', class: Migration20261121_0026_reminders_run },
  { name: '20261121_0027_guards', class: Migration20261121_0027_guards },
  { name: '20261121_0028_clock', class: Migration20261121_0028_clock },
  { name: '20261121_0030_engine', class: Migration20261121_0030_engine },
  { name: '20261121_0031_short_waits', class: Migration20261121_0031_short_waits },
  { name: '20261121_0032_rush', class: Migration20261121_0032_rush },
  { name: '20261121_0033_quick_recipients', class: Migration20261121_0033_quick_recipients },
  { name: '20261121_0035_conditions', class: Migration20261121_0035_conditions },
  { name: '20261121_0037_drops_counted', class: Migration20261121_0037_drops_counted },
  { name: '20261121_0038_held_back', class: Migration20261121_0038_held_back },
  {
    name: '20261121_0039_claims_leave_indexes_alone',
    class: Migration20261121_0039_claims_leave_indexes_alone,
  },
  {
    name: '20261121_0040_campaigns_spare_contacts',
    class: Migration20261121_0040_campaigns_spare_contacts,
  },
  { name: '20261121_0043_watched', class: Migration20261121_0043_watched },
  { name: '20261121_0044_oauth', class: Migration20261121_0044_oauth },
  { name: '20261121_0045_signing_in', class: Migration20261121_0045_signing_in },
  { name: '20261121_0046_room_for_reports', class: Migration20261121_0046_room_for_reports },
  { name: '20261122_0047_where_keys_are_used', class: Migration20261122_0047_where_keys_are_used },
  { name: '20261122_0053_traces', class: Migration20261122_0053_traces },
  {
    name: '20261122_0054_new_people_stay_counted',
    class: Migration20261122_0054_new_people_stay_counted,
  },
  { name: '20261122_0057_what_numbers_imply', class: Migration20261122_0057_what_numbers_imply },
  { name: '20261122_0060_days_of_clocks', class: Migration20261122_0060_days_of_clocks },
  {
    name: '20261122_0061_grams_without_statistics',
    class: Migration20261122_0061_grams_without_statistics,
  },
  {
    name: '20261122_0062_workspaces_without_statistics',
    class: Migration20261122_0062_workspaces_without_statistics,
  },
  {
    name: '20261123_0063_every_workspace_passes_for_all',
    class: Migration20261123_0063_every_workspace_passes_for_all,
  },
  { name: '20261123_0064_rules_of_campaigns', class: Migration20261123_0064_rules_of_campaigns },
  { name: '20261123_0065_reminders_by_phone', class: Migration20261123_0065_reminders_by_phone },
  { name: '20261123_0066_forgotten_phones', class: Migration20261123_0066_forgotten_phones },
  {
    name: '20261123_0067_runs_of_deleted_people',
    class: Migration20261123_0067_runs_of_deleted_people,
  },
  {
    name: '20261123_0068_files_of_merged_people',
    class: Migration20261123_0068_files_of_merged_people,
  },
  { name: '20261123_0069_latest_of_a_member', class: Migration20261123_0069_latest_of_a_member },
  { name: '20261123_0070_report_remains', class: Migration20261123_0070_report_remains },
  { name: '20261123_0071_merged_people', class: Migration20261123_0071_merged_people },
  { name: '20261123_0072_left_behind', class: Migration20261123_0072_left_behind },
  { name: '20261123_0073_where_to', class: Migration20261123_0073_where_to },
  { name: '20261123_0074_unsettled_campaigns', class: Migration20261123_0074_unsettled_campaigns },
  {
    name: '20261123_0075_connected_workspaces',
    class: Migration20261123_0075_connected_workspaces,
  },
  { name: '20261123_0076_passwords_taken', class: Migration20261123_0076_passwords_taken },
  { name: '20261123_0078_held_numbers', class: Migration20261123_0078_held_numbers },
  { name: '20261123_0080_news_of_groups', class: Migration20261123_0080_news_of_groups },
  { name: '20261124_0081_counted_contacts', class: Migration20261124_0081_counted_contacts },
  { name: '20261126_0082_days_behind', class: Migration20261126_0082_days_behind },
  { name: '20261126_0083_numbers_down_since', class: Migration20261126_0083_numbers_down_since },
  { name: '20261127_0084_quality_as_of', class: Migration20261127_0084_quality_as_of },
  {
    name: '20261127_0085_contacts_counted_before',
    class: Migration20261127_0085_contacts_counted_before,
  },
  { name: '20261127_0086_cancelled_before', class: Migration20261127_0086_cancelled_before },
  { name: '20261127_0087_messages_by_apps', class: Migration20261127_0087_messages_by_apps },
  {
    name: '20261127_0088_limits_of_running_campaigns',
    class: Migration20261127_0088_limits_of_running_campaigns,
  },
  {
    name: '20261127_0089_retries_of_campaigns',
    class: Migration20261127_0089_retries_of_campaigns,
  },
  { name: '20261127_0090_opted_in_at', class: Migration20261127_0090_opted_in_at },
  { name: '20261127_0091_rows_of_imports', class: Migration20261127_0091_rows_of_imports },
  { name: '20261127_0092_by_apps_before', class: Migration20261127_0092_by_apps_before },
  { name: '20261127_0093_fewer_tries', class: Migration20261127_0093_fewer_tries },
  {
    name: '20261127_0094_endpoints_of_the_suspended',
    class: Migration20261127_0094_endpoints_of_the_suspended,
  },
  { name: '20261127_0095_messages_first', class: Migration20261127_0095_messages_first },
  {
    name: '20261128_0096_files_of_deleted_people',
    class: Migration20261128_0096_files_of_deleted_people,
  },
  { name: '20261128_0097_client_refs_opened', class: Migration20261128_0097_client_refs_opened },
  { name: '20261128_0098_client_refs_end', class: Migration20261128_0098_client_refs_end },
  { name: '20261128_0099_given_up', class: Migration20261128_0099_given_up },
  { name: '20261128_0100_words_of_campaigns', class: Migration20261128_0100_words_of_campaigns },
  { name: '20261128_0104_begun_anew', class: Migration20261128_0104_begun_anew },
  { name: '20261128_0111_causes_of_reminders', class: Migration20261128_0111_causes_of_reminders },
  { name: '20261128_0114_last_closed', class: Migration20261128_0114_last_closed },
  { name: '20261128_0117_away_since', class: Migration20261128_0117_away_since },
  { name: '20261128_0119_endpoints_of_apps', class: Migration20261128_0119_endpoints_of_apps },
  { name: '20261128_0120_email_changes', class: Migration20261128_0120_email_changes },
  { name: '20261128_0121_apps_of_endpoints', class: Migration20261128_0121_apps_of_endpoints },
  {
    name: '20261128_0122_days_of_conversations',
    class: Migration20261128_0122_days_of_conversations,
  },
  { name: '20261128_0123_latest_in_stage', class: Migration20261128_0123_latest_in_stage },
  { name: '20261128_0124_paused_by_operators', class: Migration20261128_0124_paused_by_operators },
  { name: '20261128_0125_accounts_of_numbers', class: Migration20261128_0125_accounts_of_numbers },
  { name: '20261128_0126_counts_of_segments', class: Migration20261128_0126_counts_of_segments },
  { name: '20261129_0127_addresses_of_nobody', class: Migration20261129_0127_addresses_of_nobody },
  { name: '20261129_0138_turns_of_inbound', class: Migration20261129_0138_turns_of_inbound },
  { name: '20261129_0139_failed_looks', class: Migration20261129_0139_failed_looks },
  { name: '20261129_0140_files_of_ours', class: Migration20261129_0140_files_of_ours },
  {
    name: '20261129_0141_tags_that_look_the_same',
    class: Migration20261129_0141_tags_that_look_the_same,
  },
  {
    name: '20261129_0142_windows_without_words',
    class: Migration20261129_0142_windows_without_words,
  },
  { name: '20261129_0143_untrue_before', class: Migration20261129_0143_untrue_before },
  { name: '20261130_0144_bytes_uploaded', class: Migration20261130_0144_bytes_uploaded },
  {
    name: '20261130_0145_imports_through_apps',
    class: Migration20261130_0145_imports_through_apps,
  },
  { name: '20261130_0146_restricted_until', class: Migration20261130_0146_restricted_until },
  {
    name: '20261130_0148_buttons_that_opt_out',
    class: Migration20261130_0148_buttons_that_opt_out,
  },
  {
    name: '20261130_0156_reminders_of_deleted_people',
    class: Migration20261130_0156_reminders_of_deleted_people,
  },
  {
    name: '20261130_0157_deliveries_written_sooner',
    class: Migration20261130_0157_deliveries_written_sooner,
  },
];
