/**
 * The key of a custom field, as a part of regular expressions that end behind it. `__proto__`, which objects do not
 * keep as an ordinary key, is none.
 */
export const CUSTOM_KEY = '(?!__proto__$)[a-z0-9_]{1,40}';

/** A custom field of a contact by its name, such as `custom.city`. */
export const CUSTOM_FIELD = new RegExp(`^custom\\.${CUSTOM_KEY}$`);
