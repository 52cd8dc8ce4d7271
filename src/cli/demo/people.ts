const FIRST = [
  'Ana',
  'Bruno',
  'Carla',
  'Diego',
  'Elisa',
  'Fábio',
  'Gabriela',
  'Heitor',
  'Isabela',
  'João',
];
const LAST = ['Almeida', 'Barbosa', 'Cardoso', 'Dias'];

/** Forty people who look real. None of their phones is a magic one: the simulator delivers to each. */
export const demoPeople = LAST.flatMap((last, row) =>
  FIRST.map((first, column) => ({
    name: `${first} ${last}`,
    phone: `+55119${82_000_000 + row * 1_100_003 + column * 100_007}`,
  })),
);
