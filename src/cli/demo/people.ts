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

/** Forty realistic people. None has one of the simulator's magic phones, so it delivers to each of them. */
export const demoPeople = LAST.flatMap((last, row) =>
  FIRST.map((first, column) => ({
    name: `${first} ${last}`,
    phone: `+55119${82_000_000 + row * 1_100_003 + column * 100_007}`,
  })),
);
