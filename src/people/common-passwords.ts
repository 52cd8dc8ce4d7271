/** The most common passwords of sufficient length, in lower case. Guessers begin with them. */
const COMMON: ReadonlySet<string> = new Set(
  `1q2w3e4r 1q2w3e4r5t 1qaz2wsx zaq12wsx q1w2e3r4 qazwsxedc 11223344 147258369 123654789 789456123 159357456
  a1234567 a12345678 aa123456 aaa12345 abc12345 abcd1234 asdf1234 qwer1234 qwerty12 qwerty123 qwerty1234 qwerty1!
  password password1 password12 password123 password1234 password! password1! passw0rd p@ssword p@ssw0rd pass1234
  passport admin123 admin1234 administrator changeme changeme1 letmein1 letmein123 welcome1 welcome123 welcome1!
  master123 default1 secret123 test1234 testtest testing1 trustno1 whatever computer internet superman batman123
  iloveyou iloveyou1 sunshine sunshine1 princess princess1 football football1 baseball baseball1 basketball starwars
  michelle jennifer samantha charlie1 jordan23 michael1 dragon123 monkey123 shadow123 mustang1 corvette maverick
  liverpool liverpool1 chelsea1 arsenal1 barcelona realmadrid google123 facebook linkedin whatsapp whatsapp1
  senha123 senha1234 senha12345 senhasenha minhasenha mudar123 mudar1234 trocar123 administrador usuario1 usuario123
  brasil10 brasil123 flamengo flamengo1 corinthians palmeiras saopaulo saopaulo1 gremio123 vasco123 cruzeiro
  internacional santos123 jesus123 jesuscristo deusefiel deusefiel1 teamo123 amorzinho familia123 gabriel123
  felicidade estrela1 princesa princesa1 chocolate bomdia123 workspace messaging`.split(/\s+/),
);

const IN_A_ROW = [
  '0123456789012345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
];

const backwards = (text: string): string => [...text].reverse().join('');

/** Whether it is among the first to be guessed: a common password, adjacent keys, or a few characters repeated. */
export function isCommon(password: string): boolean {
  const typed = password.normalize('NFKC').toLowerCase();
  return (
    COMMON.has(typed) ||
    /^(.{1,4}?)\1+$/su.test(typed) ||
    IN_A_ROW.some((row) => row.includes(typed) || backwards(row).includes(typed))
  );
}
