// @vitest-environment happy-dom
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { paymentsApi } from '../../contract/money/payments.ts'
import { PushSettings } from '../alerts/push/PushSettings.tsx'
import { renewPush, switchPushOn } from '../alerts/push/push.ts'
import { askAddress } from '../chat/calls/address.ts'
import { TestConnection } from '../chat/calls/TestConnection.tsx'
import { testOnceADay } from '../chat/calls/testConnection.ts'
import { Words } from '../chat/messages/Words.tsx'
import { putBytes } from '../net/bytes.ts'
import { connectionStore } from '../net/status.ts'
import { receiveBytes, sendBytes } from '../net/transfer.ts'
import { LeavingTor } from '../plan/plans/LeavingTor.tsx'
import { changePlan, leaveFor } from '../plan/plans/plans.ts'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'

// Everything of the page that could open a connection to somewhere else, at an onion address: each is refused, or asks before.

openScreen()

const ONION = 'http://q5x3tj7w2mnv4kbl.onion'
const happy = (globalThis as never as { happyDOM: { setURL(url: string): void } }).happyDOM
/** Addresses that were asked for, with how redirects are taken. */
const fetched: [string, string | undefined][] = []
const opened: string[] = []
const left: string[] = []
const forbidden = (name: string) =>
  function made() {
    opened.push(name)
    throw new Error(`${name} may not be made`)
  }

beforeEach(() => {
  happy.setURL(`${ONION}/settings`)
  localStorage.clear()
  for (const list of [fetched, opened, left]) list.length = 0
  connectionStore.setState({ phase: 'open', ingress: 'onion', isTorRequired: false })
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    fetched.push([String(address), init.redirect])
    return new Response('x', { headers: { 'Content-Length': '1' } })
  })
  vi.stubGlobal('RTCPeerConnection', forbidden('RTCPeerConnection'))
  vi.stubGlobal('WebSocket', forbidden('WebSocket'))
  vi.stubGlobal('PushManager', forbidden('PushManager'))
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('Notification', { permission: 'granted', requestPermission: forbidden('Notification') })
  const serviceWorker = { register: forbidden('service worker'), getRegistration: async () => undefined }
  Object.defineProperty(navigator, 'serviceWorker', { value: serviceWorker, configurable: true })
  vi.spyOn(location, 'assign').mockImplementation((url) => void left.push(String(url)))
})
afterEach(() => {
  expect(opened).toEqual([])
  vi.unstubAllGlobals()
  happy.setURL('http://localhost/')
  connectionStore.setState(connectionStore.getInitialState())
})

const nothing = () => ({ api: makeAnswers().api, clock: () => new Date() }) as never

test('Push is not offered, and the page says why; a switch that was on before subscribes nowhere', async () => {
  show(<PushSettings />, makeAnswers())
  const choice = screen.getByRole('switch', { name: 'Notify me when Conclave is closed' })
  expect(choice).toHaveProperty('disabled', true)
  expect(screen.getByText(/the push service would learn/)).toBeTruthy()
  localStorage.setItem('notifications', '{"isPushed":true}')
  await switchPushOn(nothing())
  await renewPush(nothing())
})

test('The connection test tries the devices alone, and the silent one of the day does not run', async () => {
  show(<TestConnection onClose={() => undefined} />, makeAnswers())
  await waitFor(() => expect(screen.getAllByText('Not tried')).toHaveLength(4))
  expect(screen.getByText('By Tor only your devices are tried, and nothing by itself.')).toBeTruthy()
  await testOnceADay(nothing())
})

test('A call and a direct transfer are asked about before any server is asked for a way', async () => {
  expect(await askAddress(nothing(), {})).toEqual({ refusal: 'leaves_tor' })
  // The server has not said yet how this page came.
  connectionStore.setState({ phase: 'connecting', ingress: null })
  expect(await askAddress(nothing(), {})).toEqual({ refusal: 'leaves_tor' })
  connectionStore.setState({ isTorRequired: true })
  expect(await askAddress(nothing(), { leavesTor: true })).toEqual({ refusal: 'tor_required' })
})

const BUCKET = 'https://bucket.example.org/sealed/1?signature=2'
test.each([
  ['a file is sent', () => sendBytes(BUCKET, new Blob(['x']), {})],
  ['a photo is sent', () => putBytes(BUCKET, new Blob(['x']))],
  ['a file is sent to “//”', () => sendBytes('//bucket.example.org/1', new Blob(['x']), {})],
])('Where %s, the bucket that a server names gets nothing', async (_, work) => {
  const request = vi.spyOn(XMLHttpRequest.prototype, 'open')
  await expect(work()).rejects.toMatchObject({ code: 'invalid_input' })
  expect([fetched, request.mock.calls]).toEqual([[], []])
})

test('A file is read from this server, and a redirect to the bucket is not followed', async () => {
  await receiveBytes('/objects/1?from=bucket', { sizeBytes: 1, from: 0, take: () => true })
  expect(fetched).toEqual([['/objects/1?from=bucket', 'error']])
})

/** A server whose card company has this page. */
function cards(checkoutUrl: string) {
  const answers = makeAnswers()
  const more = { clientSecret: 'cs_secret', frameUrl: 'https://pay.example.org/checkout' }
  answers.on(paymentsApi.upgrade, () => ({ success: true, checkoutUrl, ...more }) as never)
  const { env, person } = show(<LeavingTor />, answers)
  return { answers, person, pays: () => changePlan(env, { tier: 'premium', billingPeriod: 'monthly' }) }
}

test('Paying by card says what the card company and the network see, and goes there by a press alone; no frame opens', async () => {
  const { answers, person, pays } = cards('https://checkout.example.org/c/1')
  const staying = pays()
  expect(await screen.findByRole('heading', { name: 'Paying by card leaves Tor' })).toBeTruthy()
  expect(screen.getByText(/The page of the card company, checkout.example.org, is no onion service/)).toBeTruthy()
  expect(screen.getByText(/In Tor Browser it sees the address of a Tor exit/)).toBeTruthy()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Stay here'))
  await person.click(screen.getByRole('button', { name: 'Stay here' }))
  expect(await staying).toBeUndefined()
  expect(left).toEqual([])
  const going = pays()
  await person.click(await screen.findByRole('button', { name: 'Go there' }))
  await waitFor(() => expect(left).toEqual(['https://checkout.example.org/c/1']))
  dispatchEvent(new Event('pageshow'))
  expect(await going).toBeUndefined()
  expect(answers.asked.map(({ input }) => input)).toMatchObject([{ embedded: false }, { embedded: false }])
})

test('A page of this server, as that of test cards, is no question; the other pages of the card company are one too', async () => {
  const { person } = cards('')
  const own = leaveFor(`${ONION}/sandbox/pay/1`)
  await waitFor(() => expect(left).toHaveLength(1))
  dispatchEvent(new Event('pageshow'))
  await own
  const portal = leaveFor('https://billing.example.org/p/1')
  await person.click(await screen.findByRole('button', { name: 'Stay here' }))
  await portal
  expect(left).toHaveLength(1)
})

test('A question about the card company that takes the place of an older one stays until it is answered itself', async () => {
  const { person } = cards('')
  const older = leaveFor('https://billing.example.org/p/1')
  await screen.findByText(/billing\.example\.org/)
  const newer = leaveFor('https://checkout.example.org/c/1')
  await older
  await person.click(await screen.findByRole('button', { name: 'Go there' }))
  await waitFor(() => expect(left).toEqual(['https://checkout.example.org/c/1']))
  dispatchEvent(new Event('pageshow'))
  await newer
})

test('A link in a text is opened by a press alone, and tells its page nothing of this one', () => {
  render(<Words text="see https://example.org/a and www.example.org" />)
  const links = screen.getAllByRole('link')
  expect(links).toHaveLength(2)
  for (const link of links)
    expect([link.getAttribute('rel'), link.getAttribute('target')]).toEqual(['noopener noreferrer', '_blank'])
  expect(fetched).toEqual([])
})

test('What pages, styles and manifest load by themselves is of this very server', () => {
  const client = path.resolve(import.meta.dirname, '..')
  const files = readdirSync(client, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(css|html|webmanifest|js)$/.test(file),
  )
  expect(files).toEqual(expect.arrayContaining(['index.html', 'page.html', 'ui/fonts.css', 'public/manifest.webmanifest']))
  const foreign = files.filter((file) =>
    /(href|src|url)[=(:"'\s]*["']?(https?:)?\/\/|@import\s+["']?http|preconnect|dns-prefetch/.test(
      readFileSync(path.join(client, file), 'utf8'),
    ),
  )
  expect(foreign).toEqual([])
})
