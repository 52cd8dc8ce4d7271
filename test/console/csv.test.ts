import { expect, it } from '@jest/globals';
import { csvHead, csvLine, plainCell } from '../../src/csv.ts';

it('quotes what a line cannot bear, and keeps formulas from being formulas', () => {
  expect(csvLine(['a', 1, null, 'b,c', 'say "x"', 'two\nlines'])).toBe(
    'a,1,,"b,c","say ""x""","two\nlines"\r\n',
  );
  expect(csvLine(['=1+1', '@x', '-cmd|y', '+5511987654321', '-3.5'])).toBe(
    "'=1+1,'@x,'-cmd|y,+5511987654321,-3.5\r\n",
  );
  // Nor is what only begins as a number.
  expect(csvLine(['-3+cmd|y', '+5511A1'])).toBe("'-3+cmd|y,'+5511A1\r\n");
  // A line break or a tab before it, and the wide signs of East Asian keyboards, make a formula too.
  expect(csvLine(['\n=1+1', '\r=1', '\t=1', '＝1+1', '＠x', '＋1', '－1'])).toBe(
    `"'\n=1+1","'\r=1",'\t=1,'＝1+1,'＠x,'＋1,'－1\r\n`,
  );
});

it('marks its first line as UTF-8, and knows what it kept from being a formula', () => {
  expect(csvHead(['name', 'phone'])).toBe('\uFEFFname,phone\r\n');
  expect(["'=1+1", "'@x", "'n Rock", "'+5511987654321", '=1+1'].map(plainCell)).toEqual([
    '=1+1',
    '@x',
    "'n Rock",
    "'+5511987654321",
    '=1+1',
  ]);
});
