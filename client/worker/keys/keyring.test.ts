import { describe, expect, test } from 'vitest'
import { type Keyring, keyringShape } from '../../../contract/account/documents.ts'
import { fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { hkdf, keyPairOf, openFrom, openWith, randomBytes, sealTo, sealWith } from '../primitives/seal.ts'
import { signDocument } from './document.ts'
import { eraseKeyring, newKeyring, openKeyring, rewrapKeyring, type Way } from './keyring.ts'
import { newIdentity } from './newidentity.ts'

const alice = newIdentity()
const eve = newIdentity()
const way = (id: string, kind: Way['kind']): Way => ({ id, kind, seed: randomBytes(32) })
const password = way('password', 'password')
const kit = way('kit', 'kit')
const first = await newKeyring(alice, [password, kit])

const contentOf = (signed: Signed): Keyring => keyringShape.parse(JSON.parse(signed.content))
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })

describe('opening', () => {
  test('Each way in opens the same keyring, and nothing secret stands in what the server keeps', async () => {
    const byPassword = await openKeyring(first.signed, password, alice.publicKey)
    const byKit = await openKeyring(first.signed, kit)
    expect(byPassword.secret).toEqual(first.secret)
    expect(byKit.secret).toEqual(first.secret)
    expect(byPassword.secret.identitySeed).toEqual(alice.seed)
    expect(byPassword.secret.historyKeys.map((key) => key.id)).toEqual([1])
    const secrets = [alice.seed, first.accountKey, password.seed, kit.seed, ...first.secret.historyKeys.map((key) => key.seed)]
    for (const secret of secrets) expect(first.signed.content).not.toContain(toBase64(secret).slice(0, 42))
  })

  test('A wrong password, and a right seed of another kind, do not open it', async () => {
    await expect(openKeyring(first.signed, way('password', 'password'))).rejects.toThrow(failure('way'))
    await expect(openKeyring(first.signed, { kind: 'kit', seed: password.seed })).rejects.toThrow(failure('way'))
  })

  test('Eve hands out her own account, or changes a character: refused', async () => {
    const hers = await newKeyring(eve, [password])
    await expect(openKeyring(hers.signed, password, alice.publicKey)).rejects.toThrow(failure('identity'))
    const { content, signature } = first.signed
    const changed = { content: content.replace('"version":1', '"version":2'), signature }
    await expect(openKeyring(changed, password)).rejects.toThrow(failure('signature'))
    await expect(openKeyring({ content: '{', signature }, password)).rejects.toThrow(failure('malformed'))
  })
})

test('A keyring that a thousand changes have filled takes the next one: the oldest history key goes, the newest opens', async () => {
  const keys = Array.from({ length: 1200 }, (_, at) => ({ id: at + 1, seed: randomBytes(32) }))
  const full = await newKeyring(alice, [password, kit], keys)
  const opened = await openKeyring((await rewrapKeyring(full, { renewHistory: true })).signed, kit)
  const ids = opened.secret.historyKeys.map(({ id }) => id)
  expect(ids.at(-1)).toBe(1201)
  expect(ids.length).toBeGreaterThan(800)
  expect(opened.secret.historyKeys.at(-2)?.seed).toEqual(keys.at(-1)?.seed)
})

describe('a server that knows only public keys', () => {
  // All that a server has: the way's public key from the clear part, and an identity of its own.
  async function forge(
    identity: { seed: Uint8Array; publicKey: Uint8Array },
    secret: unknown,
    ways: Pick<Keyring['ways'][number], 'id' | 'kind' | 'publicKey'>[],
  ) {
    const accountKey = randomBytes(32)
    const label = 'conclave/keyring/v1'
    const keyring: Keyring = {
      v: 1,
      version: 1,
      identityKey: toBase64(identity.publicKey),
      sealed: toBase64(await sealWith(accountKey, label, utf8(JSON.stringify(secret)), identity.publicKey, '1')),
      ways: await Promise.all(
        ways.map(async (entry) => ({
          ...entry,
          sealedKey: toBase64(
            await sealTo(fromBase64(entry.publicKey), 'conclave/account-key/v1', accountKey, identity.publicKey, entry.id),
          ),
        })),
      ),
    }
    return signDocument(identity.seed, label, keyring)
  }

  const clear = ({ id, kind, publicKey }: Keyring['ways'][number]) => ({ id, kind, publicKey })
  const [passwordEntry] = contentOf(first.signed).ways.map(clear)
  if (!passwordEntry) throw new Error('The first way is missing')
  const inside = (proof: Uint8Array) => ({
    identitySeed: toBase64(eve.seed),
    historyKeys: [{ id: 1, seed: toBase64(randomBytes(32)) }],
    ways: [{ ...passwordEntry, proof: toBase64(proof) }],
  })

  test("Eve seals a keyring of her own making to Alice's password key: a new browser does not take it", async () => {
    const forged = await forge(eve, inside(randomBytes(32)), [passwordEntry])
    await expect(openKeyring(forged, password)).rejects.toThrow(failure('identity'))
  })

  test("A keyring that holds another identity's seed than it names is refused", async () => {
    const proof = await hkdf(password.seed, 'conclave/way-proof/v1', alice.publicKey, password.id)
    const forged = await forge(alice, inside(proof), [passwordEntry])
    await expect(openKeyring(forged, password)).rejects.toThrow(failure('identity'))
  })

  test('A way that stands outside only is refused, so that none is slipped in', async () => {
    const { publicKey } = await keyPairOf(randomBytes(32))
    const forged = await forge(eve, inside(randomBytes(32)), [
      passwordEntry,
      { id: 'odd', kind: 'kit', publicKey: toBase64(publicKey) },
    ])
    await expect(openKeyring(forged, password)).rejects.toThrow(failure('malformed'))
  })
})

describe('wrapping again', () => {
  test('A changed password: the old one no longer opens it, the kit still does although it was not at hand', async () => {
    const opened = await openKeyring(first.signed, password)
    const next = way('password', 'password')
    const { signed } = await rewrapKeyring(opened, { removeWays: ['password'], addWays: [next] })
    await expect(openKeyring(signed, password)).rejects.toThrow(failure('way'))
    expect((await openKeyring(signed, next, alice.publicKey)).secret.identitySeed).toEqual(alice.seed)
    expect((await openKeyring(signed, kit, alice.publicKey)).secret.identitySeed).toEqual(alice.seed)
    expect(contentOf(signed).version).toBe(2)
  })

  test('Who kept the old account key reads nothing of the new keyring [Note: K2]', async () => {
    const opened = await openKeyring(first.signed, password)
    const { signed, accountKey } = await rewrapKeyring(opened)
    expect(accountKey).not.toEqual(opened.accountKey)
    const { sealed } = contentOf(signed)
    const context = [alice.publicKey, '2'] as const
    await expect(openWith(opened.accountKey, 'conclave/keyring/v1', fromBase64(sealed), ...context)).rejects.toThrow(
      failure('seal'),
    )
    await expect(openWith(accountKey, 'conclave/keyring/v1', fromBase64(sealed), ...context)).resolves.toBeDefined()
  })

  test('A way that was removed finds nothing sealed to it', async () => {
    const { signed } = await rewrapKeyring(await openKeyring(first.signed, password), { removeWays: ['kit'] })
    for (const { id, sealedKey } of contentOf(signed).ways) {
      const trying = openFrom(kit.seed, 'conclave/account-key/v1', fromBase64(sealedKey), alice.publicKey, id)
      await expect(trying).rejects.toThrow(failure('seal'))
    }
  })

  test('A new history key comes last, the old ones stay for old messages', async () => {
    const { signed } = await rewrapKeyring(await openKeyring(first.signed, kit), { renewHistory: true })
    const { secret } = await openKeyring(signed, password)
    expect(secret.historyKeys.map((key) => key.id)).toEqual([1, 2])
    expect(secret.historyKeys[0]).toEqual(first.secret.historyKeys[0])
  })

  test('The last way in cannot be removed, and no id is given twice', async () => {
    const opened = await openKeyring(first.signed, password)
    await expect(rewrapKeyring(opened, { removeWays: ['password', 'kit'] })).rejects.toThrow(RangeError)
    await expect(rewrapKeyring(opened, { addWays: [way('kit', 'kit')] })).rejects.toThrow(RangeError)
  })
})

test('Erasing an opened keyring leaves zeros, and the one wrapped from it whole', async () => {
  const opened = await openKeyring(first.signed, password)
  const next = await rewrapKeyring(opened)
  eraseKeyring(opened)
  expect([opened.accountKey, opened.secret.identitySeed].every((bytes) => bytes.every((byte) => byte === 0))).toBe(true)
  expect(opened.secret.historyKeys.every((key) => key.seed.every((byte) => byte === 0))).toBe(true)
  const again = await rewrapKeyring(next)
  expect((await openKeyring(again.signed, kit, alice.publicKey)).secret.identitySeed).toEqual(alice.seed)
})

test('A way whose seed was erased meanwhile, by another form of the page, never becomes a way in: whoever reads this could open it', async () => {
  const erased = { ...way('kit', 'kit'), seed: new Uint8Array(32) }
  await expect(newKeyring(alice, [password, erased])).rejects.toThrow(failure('way'))
  const opened = await openKeyring(first.signed, password)
  await expect(rewrapKeyring(opened, { removeWays: ['kit'], addWays: [erased] })).rejects.toThrow(failure('way'))
})
