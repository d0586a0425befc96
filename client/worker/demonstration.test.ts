import { beforeAll, expect, test } from 'vitest'
import { parseEnvelope, writeEnvelope } from '../../contract/chat/envelope.ts'
import { fromBase64 } from '../../contract/ground/bytes.ts'
import { type Demonstration, openDemonstration } from './demonstration.ts'

let shown: Demonstration
beforeAll(async () => {
  shown = await openDemonstration(new Date())
})

test('What a visitor types is sealed as every message is, and opens on the other side alone, once', async () => {
  const text = 'Sign before six. I will countersign from Geneva.'
  const [one, other] = [await shown.seal(text), await shown.seal(text)]
  expect(one).not.toContain('Geneva')
  const { body = '', ...rest } = parseEnvelope(one) ?? {}
  expect(rest).toMatchObject({ v: 1, epoch: 1 })
  expect(new TextDecoder().decode(fromBase64(body))).not.toContain('Geneva')
  expect(other).not.toBe(one)
  // Texts of other lengths travel as the same number of bytes.
  expect(await shown.seal('yes')).toHaveLength(one.length)
  expect(await shown.open(one)).toBe(text)
  expect(await shown.open(other)).toBe(text)
  await expect(shown.open(one)).rejects.toMatchObject({ name: 'CryptoFailure' })
})

test('One bit that was turned on the way is refused, and the next text opens', async () => {
  const envelope = parseEnvelope(await shown.seal('pay 100'))
  if (!envelope) throw new Error('no envelope')
  const bytes = fromBase64(envelope.body)
  bytes[40] = (bytes[40] ?? 0) ^ 1
  const altered = writeEnvelope({ ...envelope, body: Buffer.from(bytes).toString('base64') })
  await expect(shown.open(altered)).rejects.toMatchObject({ name: 'CryptoFailure' })
  expect(await shown.open(await shown.seal('pay 100'))).toBe('pay 100')
})

test('The keys have the sizes of the suite that is named', () => {
  expect(shown.suite).toBe('MLS_256_XWING_AES256GCM_SHA512_Ed25519')
  expect(shown.sealingKeyBytes).toBe(32 + 1184)
  expect(shown.keyPackageBytes).toBeGreaterThan(2 * shown.sealingKeyBytes)
})
