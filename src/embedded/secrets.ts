import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { writeJsonFile } from './json-file.ts';

/** Secrets that a local service generates once and keeps in its data folder. */
export interface LocalSecrets {
  readonly encryptionKeys: string;
  readonly whatsappAppSecret: string;
  readonly whatsappVerifyToken: string;
}

/** Reads the secrets of this data folder, or generates them; only the owner can read the file. */
export function localSecrets(dataDir: string): LocalSecrets {
  const file = path.join(dataDir, 'secrets.json');
  if (!fs.existsSync(file)) {
    const secrets: LocalSecrets = {
      encryptionKeys: `local:${randomBytes(32).toString('base64')}`,
      whatsappAppSecret: randomBytes(16).toString('hex'),
      whatsappVerifyToken: randomBytes(12).toString('hex'),
    };
    writeJsonFile(file, secrets);
  }
  return JSON.parse(fs.readFileSync(file, 'utf8')) as LocalSecrets;
}
