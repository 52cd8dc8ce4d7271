import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses, an alias (`-> other.name`), a DNS error code (2 SERVFAIL, 3 NXDOMAIN), or silence. */
export type Zone = Record<string, readonly string[] | 'servfail' | 'silence'>;

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_AAAA = 28;

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((part) => Buffer.from([part.length, ...Buffer.from(part)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function decodeName(packet: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; packet[at]; at += (packet[at] ?? 0) + 1) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + (packet[at] ?? 0)));
  }
  return labels.join('.');
}

function record(name: string, type: number, value: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(0, 4);
  fixed.writeUInt16BE(value.length, 8);
  return Buffer.concat([encodeName(name), fixed, value]);
}

function recordsFor(name: string, values: readonly string[], type: number): Buffer[] {
  return values.flatMap((value) => {
    if (value.startsWith('-> ')) return [record(name, TYPE_CNAME, encodeName(value.slice(3)))];
    const family = isIP(value) === 6 ? TYPE_AAAA : TYPE_A;
    const owner = values.find((other) => other.startsWith('-> '))?.slice(3) ?? name;
    const bytes = Buffer.from(ipaddr.parse(value).toByteArray());
    return family === type ? [record(owner, type, bytes)] : [];
  });
}

function answer(query: Buffer, zone: Zone): Buffer | null {
  const name = decodeName(query);
  const entry = zone[name];
  if (entry === 'silence') return null;
  const question = query.subarray(12, 12 + name.length + 2 + 4);
  const type = question.readUInt16BE(question.length - 4);
  const records = Array.isArray(entry) ? recordsFor(name, entry, type) : [];
  const code = entry === undefined ? 3 : entry === 'servfail' ? 2 : 0;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

/** A name server on loopback that answers from a table; a name outside it does not exist. */
export async function startNameServer(zone: Zone) {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const reply = answer(query, zone);
    if (reply) socket.send(reply, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const address = `127.0.0.1:${socket.address().port}`;
  return { address, zone, close: () => socket.close() };
}
