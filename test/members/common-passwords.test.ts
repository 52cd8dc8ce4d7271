import { describe, expect, it } from '@jest/globals';
import { isCommon } from '../../src/people/common-passwords.ts';

describe('a password that is guessed first', () => {
  it.each([
    'password',
    'PassWord123',
    'ｐａｓｓｗｏｒｄ',
    'senha123',
    'iloveyou',
    'aaaaaaaa',
    '12341234',
    'abababab',
    '12345678',
    '87654321',
    'qwertyui',
    'hgfedcba',
  ])('is %s', (password) => {
    expect(isCommon(password)).toBe(true);
  });

  it.each([
    'correct horse',
    'a new password',
    'workspace-demo',
    'padaria aurora',
    '12345679!',
    'ção de açúcar',
  ])('is not %s', (password) => {
    expect(isCommon(password)).toBe(false);
  });
});
