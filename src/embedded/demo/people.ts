import type { ImportRow } from '../../contacts/imports/rows.ts';

const NAMES = [
  'Ana Beatriz Rocha',
  'Antônio Figueira',
  'Bárbara Nunes',
  'Caio Prado',
  'Camila Teixeira',
  'Célia Moura',
  'Daniela Freitas',
  'Davi Lacerda',
  'Débora Pinto',
  'Eduardo Salles',
  'Elaine Campos',
  'Fernanda Couto',
  'Flávio Reis',
  'Gabriel Antunes',
  'Giovana Mello',
  'Helena Duarte',
  'Hugo Bastos',
  'Inês Carvalho',
  'Ivan Queiroz',
  'Jéssica Ramos',
  'João Pedro Lins',
  'Juliana Vasques',
  'Karina Borges',
  'Larissa Porto',
  'Leandro Assis',
  'Letícia Guedes',
  'Lucas Maia',
  'Manuela Serra',
  'Marcelo Viana',
  'Mariana Leal',
  'Mateus Brandão',
  'Natália Peixoto',
  'Otávio Siqueira',
  'Patrícia Amaral',
  'Rafael Toledo',
  'Renata Falcão',
  'Sandra Melo',
  'Tiago Bueno',
  'Vanessa Prates',
  'Yasmin Rios',
];
const CITIES = ['Campinas', 'São Paulo', 'Sorocaba', 'Jundiaí'];
const plain = (name: string): string =>
  name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().split(' ').join('.');

const two = (n: number): string => String(n).padStart(2, '0');

/** Forty customers of a bakery. None has one of the simulator's magic phones, so it delivers to each of them. */
export const CUSTOMERS: readonly ImportRow[] = NAMES.map((name, n) => ({
  name,
  phone: `+55119${71_000_000 + n * 670_021}`,
  ...(n % 3 === 0 ? { email: `${plain(name)}@example.com` } : {}),
  tags: [
    ...(n % 5 === 0 ? ['VIP'] : []),
    ...(n % 4 === 1 ? ['Encomendas'] : []),
    ...(n % 7 === 2 ? ['Atacado'] : []),
  ],
  custom: { cidade: CITIES[n % CITIES.length] ?? '', pedidos: (n * 7) % 23 },
  ...(n % 2 === 0
    ? { birth_date: `${1965 + n}-${two(1 + (n % 12))}-${two(1 + ((n * 5) % 28))}` }
    : {}),
  language: 'pt-BR',
}));
