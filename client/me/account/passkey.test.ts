import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { PRF_INPUT, type StubbedCredentials, stubCredentials } from '../../testing/credentials.ts'
import { ALL_SHOWN } from '../../testing/privacy.ts'
import { accountStore } from './accountState.ts'
import { askPasskey, createPasskey, signWithPasskey } from './passkey.ts'
import { passkeysWork } from './passkeysWork.ts'

const CHALLENGE = 'AAEC_w'
const USER_ID = '0a0a0a0a-0000-4000-8000-000000000001'
let stub: StubbedCredentials
const keyIn = ({ output }: StubbedCredentials) => toBase64(output ?? new Uint8Array())

function optionsOf(call: StubbedCredentials['create']) {
  const [first] = call.mock.calls
  if (!first) throw new Error('Nothing was asked')
  return first[0].publicKey
}

beforeEach(() => {
  stub = stubCredentials()
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
      privacy: ALL_SHOWN,
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

test('a passkey is asked to prove the person and to give the key that only this product asks for', async () => {
  const { registration } = await createPasskey(CHALLENGE)
  expect(await askPasskey([registration.id])).toEqual({ id: registration.id, output: keyIn(stub) })
  const asked = optionsOf(stub.get)
  expect(asked).toMatchObject({ rpId: 'conclave.example', userVerification: 'required' })
  expect(Buffer.from(asked.allowCredentials[0]?.id ?? []).toString('base64url')).toBe(registration.id)
  expect(Buffer.from(asked.extensions.prf.eval.first)).toEqual(PRF_INPUT)
})

test('a new passkey stays with the account, proves the person, and does not overwrite one that is there', async () => {
  const { registration, key } = await createPasskey(CHALLENGE, ['AQID'])
  expect(key).toEqual({ id: registration.id, output: keyIn(stub) })
  const asked = optionsOf(stub.create)
  expect(asked.authenticatorSelection).toMatchObject({ residentKey: 'required', userVerification: 'required' })
  expect(asked.user.id).toEqual(utf8(USER_ID))
  expect([...asked.challenge]).toEqual([0, 1, 2, 255])
  expect(asked.excludeCredentials.map(({ id }) => [...id])).toEqual([[1, 2, 3]])
  expect(stub.get).not.toHaveBeenCalled()
})

test('what opens the keys is in nothing that is sent of a passkey', async () => {
  const made = await createPasskey(CHALLENGE)
  const signed = await signWithPasskey(CHALLENGE, [])
  expect(signed).toMatchObject({ userId: USER_ID, key: { output: keyIn(stub) } })
  expect(optionsOf(stub.get).allowCredentials).toEqual([])
  expect(Object.keys(made.registration).sort()).toEqual(['attestationObject', 'clientDataJSON', 'id'])
  expect(Object.keys(signed.assertion).sort()).toEqual(['authenticatorData', 'clientDataJSON', 'id', 'signature', 'userHandle'])
  const sent = JSON.stringify([made.registration, signed.assertion])
  for (const form of ['base64', 'base64url', 'hex'] as const)
    expect(sent).not.toContain(
      Buffer.from(stub.output ?? [])
        .toString(form)
        .replaceAll('=', ''),
    )
})

test('a passkey that gives no key when it is made is asked once more', async () => {
  const make = stub.create.getMockImplementation()
  if (!make) throw new Error('Nothing makes a passkey')
  stub.create.mockImplementation(async (options) =>
    Object.assign(await make(options), { getClientExtensionResults: () => ({ prf: { enabled: true } }) }),
  )
  const { registration, key } = await createPasskey(CHALLENGE)
  expect(key).toEqual({ id: registration.id, output: keyIn(stub) })
  expect(stub.get).toHaveBeenCalledOnce()
})

test('an authenticator that holds no keys makes a passkey that only signs in, and is refused in words where a key is needed', async () => {
  stub.output = null
  const { registration, key } = await createPasskey(CHALLENGE)
  expect(key).toBeNull()
  expect(stub.get).not.toHaveBeenCalled()
  expect(await signWithPasskey(CHALLENGE, [registration.id])).toMatchObject({ key: null, userId: USER_ID })
  await expect(askPasskey([registration.id])).rejects.toMatchObject({ code: 'passkey_key' })
})

test('a request that was closed says so, and a bug stays a bug', async () => {
  stub.get.mockRejectedValue(new DOMException('The operation either timed out or was not allowed.', 'NotAllowedError'))
  await expect(askPasskey(['AQID'])).rejects.toThrow('The passkey was not used: the request was closed, or took too long.')
  stub.get.mockRejectedValue(new TypeError('a bug'))
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
