// Node's own type stripping; positions are kept, so no source maps are needed.
import { createHash } from 'node:crypto';
import { stripTypeScriptTypes } from 'node:module';

export default {
  getCacheKey: (source, file, options) =>
    createHash('sha1')
      .update([source, file, options.configString, process.version].join('\0'))
      .digest('hex'),
  process: (source) => ({ code: stripTypeScriptTypes(source, { mode: 'strip' }) }),
};
