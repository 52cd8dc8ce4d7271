import { describe, expect, it } from '@jest/globals';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { parsePhone, phoneKey, spellingsOf } from '../../src/contacts/identity/phones.ts';

describe('reading a phone', () => {
  it.each([
    ['+55 11 98765-4321', '+5511987654321'],
    ['+55 (11) 98765-4321', '+5511987654321'],
    ['  +5511987654321 ', '+5511987654321'],
    ['\u202a+55 11 98765\u20114321\u202c', '+5511987654321'],
    ['\u2068+55\u00a011\u00a098765\u20114321\u2069', '+5511987654321'],
    ['\u200e +55 11 98765-4321', '+5511987654321'],
    ['+55 11 8765-4321', '+551187654321'],
    ['+1 415 555 2671', '+14155552671'],
    ['+44 7911 123456', '+447911123456'],
  ])('keeps %s as %s', (written, e164) => {
    expect(parsePhone(written)?.e164).toBe(e164);
  });

  it.each([
    ['no country', '11 98765-4321'],
    ['digits that could be of any country', '5511987654321'],
    ['too short', '+5511'],
    ['too long', '+551198765432100'],
    ['no such country', '+999123456789'],
    ['an extension', '+55 11 98765-4321 ext 4'],
    ['words', 'call me'],
    ['nothing', ''],
    ['over forty characters', `+55 11 98765-4321${' '.repeat(30)}1`],
  ])('refuses %s', (_why, written) => {
    expect(parsePhone(written)).toBeNull();
  });

  it('leaves more than forty characters unread, even those that spell one', () => {
    const spread = `+55 11 ${' '.repeat(30)}98765-4321`;

    expect(parsePhoneNumberFromString(spread)?.number).toBe('+5511987654321');
    expect(parsePhone(spread)).toBeNull();
  });
});

describe('the key a phone is matched by', () => {
  it.each([
    ['+5511987654321', '+551187654321'],
    ['+5531991234567', '+553191234567'],
    ['+5511961234567', '+551161234567'],
    ['+5511901234567', '+551101234567'],
  ])('is the same for %s and, without the ninth digit, %s', (withNine, without) => {
    expect(phoneKey(withNine)).toBe(phoneKey(without));
    expect(spellingsOf(without)).toEqual([without, withNine]);
  });

  it.each(['+551134567890', '+351987654321', '+541198765432'])('is itself for %s', (phone) => {
    expect(spellingsOf(phone)).toEqual([phone]);
  });

  it.each([
    ['a mobile and the landline of the same eight digits', '+5511934567890', '+551134567890'],
    ['two areas', '+5511987654321', '+5521987654321'],
    ['a Brazilian mobile and a number elsewhere', '+5511987654321', '+351987654321'],
    ['numbers of other countries that differ by a nine', '+541198765432', '+5411998765432'],
  ])('differs for %s', (_what, one, other) => {
    expect(phoneKey(one)).not.toBe(phoneKey(other));
  });
});
