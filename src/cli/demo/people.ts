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

/** Forty people who look real; the simulator delivers to each of them. */
export const demoPeople = LAST.flatMap((last, row) =>
  FIRST.map((first, column) => ({
    name: `${first} ${last}`,
    phone: `+55119${String(80_000_000 + row * 1_000_003 + column * 70_001)}`,
  })),
);
