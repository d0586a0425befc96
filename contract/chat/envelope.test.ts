import { expect, test } from 'vitest'
import { type Envelope, parseEnvelope, readSealedFor, writeEnvelope } from './envelope.ts'

const envelope: Envelope = { v: 1, groupId: 'A'.repeat(64), epoch: 7, mls: 'AAAA', archive: 'AAE=', body: 'AQ==' }
const written = writeEnvelope(envelope)

test('the short look at an envelope finds what parsing it finds, and takes nothing that parsing refuses', () => {
  const changed = (more: object) => JSON.stringify({ ...envelope, ...more })
  const contents = [
    written,
    ` ${written}`,
    `${written} `,
    written.replace('"epoch":7', '"epoch": 7'),
    written.replace('"epoch":7', '"epoch":07'),
    written.replace('"epoch":7', '"epoch":-7'),
    written.replace('"epoch":7', '"epoch":7.5'),
    written.replace('"epoch":7', '"epoch":1234567890123'),
    written.replace('"epoch":7', '"epoch":0'),
    written.replace('"v":1', '"v":2'),
    written.replace('{', '{"x":1,'),
    ...['AAA', 'AAAA=', 'A===', '====', 'AA=A', 'AA-_', '', 'AA AA', 'AAAA\\n'].map((body) => written.replace('AQ==', body)),
    ...['A'.repeat(60), 'A'.repeat(68), `${'A'.repeat(63)}=`].map((groupId) => changed({ groupId })),
    changed({ archive: 'A'.repeat(1368) }),
    changed({ archive: 'A'.repeat(1372) }),
    changed({ more: 'x' }),
    changed({ body: undefined }),
    'plain text',
    '',
  ]
  for (const content of contents) {
    const parsed = parseEnvelope(content)
    expect([content, readSealedFor(content)]).toEqual([content, parsed && { groupId: parsed.groupId, epoch: parsed.epoch }])
  }
  expect(readSealedFor(written)).toEqual({ groupId: envelope.groupId, epoch: 7 })
})
