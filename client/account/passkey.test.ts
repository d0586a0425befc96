import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toBase64, toBase64Url, utf8 } from '../../contract/bytes.ts'
import { askPasskey, createPasskey } from './passkey.ts'
import { passkeysWork } from './passkeyshere.ts'
import { accountStore } from './store.ts'

const RAW_ID = new Uint8Array([1, 2, 250])
const KEY = new Uint8Array(32).fill(7)
const USER_ID = '0a0a0a0a-0000-4000-8000-000000000001'

/** Mock of a WebAuthn credential: an id and the result of the PRF extension. */
class Answer {
  readonly rawId = RAW_ID.buffer
  readonly #prf: object | undefined
  constructor(prf?: object) {
    this.#prf = prf
  }
  getClientExtensionResults() {
    return { prf: this.#prf }
  }
}

const create = vi.fn()
const get = vi.fn()

beforeEach(() => {
  create.mockReset()
  get.mockReset()
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PublicKeyCredential', Answer)
  vi.stubGlobal('location', { hostname: 'conclave.example' })
  vi.stubGlobal('navigator', { credentials: { create, get } })
  accountStore.setState({
    user: {
      id: USER_ID,
      username: 'alice',
      displayName: 'Alice',
      profileImageUrl: null,
      isAdmin: false,
      subscriptionTier: 'free',
      biometricEnabled: false,
      email: null,
      onionAddress: null,
      hasKeys: true,
      deviceId: null,
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

test('a passkey is asked to prove the person and to give the key that only this product asks for', async () => {
  get.mockResolvedValue(new Answer({ results: { first: KEY.buffer } }))
  expect(await askPasskey([toBase64Url(RAW_ID)])).toEqual({ id: toBase64Url(RAW_ID), output: toBase64(KEY) })
  const { publicKey } = get.mock.calls[0]?.[0] ?? {}
  expect(publicKey).toMatchObject({ rpId: 'conclave.example', userVerification: 'required' })
  expect(new Uint8Array(publicKey.allowCredentials[0].id)).toEqual(RAW_ID)
  const salt = createHash('sha256').update('conclave/passkey/v1').digest()
  expect(Buffer.from(publicKey.extensions.prf.eval.first)).toEqual(salt)
})

test('a new passkey stays with the account, proves the person, and does not overwrite one that is there', async () => {
  create.mockResolvedValue(new Answer({ enabled: true, results: { first: KEY } }))
  expect(await createPasskey(['AQID'])).toEqual({ id: toBase64Url(RAW_ID), output: toBase64(KEY) })
  const { publicKey } = create.mock.calls[0]?.[0] ?? {}
  expect(publicKey.authenticatorSelection).toMatchObject({ residentKey: 'required', userVerification: 'required' })
  expect(publicKey.user.id).toEqual(utf8(USER_ID))
  expect([...publicKey.excludeCredentials[0].id]).toEqual([1, 2, 3])
  expect(get).not.toHaveBeenCalled()
})

test('a passkey that gives no key when it is made is asked once more', async () => {
  create.mockResolvedValue(new Answer({ enabled: true }))
  get.mockResolvedValue(new Answer({ results: { first: KEY } }))
  expect(await createPasskey()).toEqual({ id: toBase64Url(RAW_ID), output: toBase64(KEY) })
})

test('a passkey that cannot hold a key is refused in words', async () => {
  create.mockResolvedValue(new Answer({ enabled: false }))
  await expect(createPasskey()).rejects.toThrow('This passkey cannot hold a key. Use another one or the recovery kit.')
  expect(get).not.toHaveBeenCalled()
  get.mockResolvedValue(new Answer())
  await expect(askPasskey(['AQID'])).rejects.toMatchObject({ code: 'passkey_key' })
})

test('a request that was closed says so, and a bug stays a bug', async () => {
  get.mockRejectedValue(new DOMException('The operation either timed out or was not allowed.', 'NotAllowedError'))
  await expect(askPasskey(['AQID'])).rejects.toThrow('The passkey was not used: the request was closed, or took too long.')
  get.mockRejectedValue(new TypeError('a bug'))
  await expect(askPasskey(['AQID'])).rejects.toThrow(TypeError)
})

test('passkeys work on a secure page with a name, not at a number address and not in a browser without them', () => {
  expect(passkeysWork()).toBe(true)
  for (const hostname of ['192.168.1.5', '[::1]']) {
    vi.stubGlobal('location', { hostname })
    expect(passkeysWork()).toBe(false)
  }
  vi.stubGlobal('location', { hostname: 'localhost' })
  expect(passkeysWork()).toBe(true)
  vi.stubGlobal('isSecureContext', false)
  expect(passkeysWork()).toBe(false)
})
