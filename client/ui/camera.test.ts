import { afterEach, expect, test, vi } from 'vitest'
import { type CameraTrouble, cameraWords, startScan } from './camera.ts'

afterEach(() => vi.unstubAllGlobals())

const nothing = () => undefined

/** Stubs a browser with this `getUserMedia`. */
function browserWith(getUserMedia: (() => Promise<unknown>) | undefined, isSecure = true) {
  vi.stubGlobal('isSecureContext', isSecure)
  vi.stubGlobal('navigator', { mediaDevices: getUserMedia && { getUserMedia } })
}

const refusedWith = (name: string) => async () => {
  throw new DOMException('no', name)
}

const screen = () => ({ srcObject: null, videoWidth: 0, play: async () => undefined }) as unknown as HTMLVideoElement

const troubleOfScan = () =>
  new Promise<CameraTrouble>((onTrouble) => startScan(screen(), { onLive: nothing, onCode: nothing, onTrouble }))

test.each([
  ['no camera', refusedWith('NotFoundError'), 'No camera found on this device. Please compare the digits.'],
  [
    'a camera that the person does not allow',
    refusedWith('NotAllowedError'),
    'Camera access denied. Please allow camera permissions and try again, or compare the digits.',
  ],
  ['a camera that another program holds', refusedWith('NotReadableError'), 'Unable to access camera. Please compare the digits.'],
  ['a browser that knows no cameras', undefined, 'Camera not supported in this browser. Please compare the digits.'],
])('With %s the scanner says so', async (_, getUserMedia, words) => {
  browserWith(getUserMedia)
  expect(cameraWords(await troubleOfScan(), 'compare the digits')).toBe(words)
})

test('Over plain HTTP the scanner names the reason, and not the browser', async () => {
  browserWith(undefined, false)
  expect(cameraWords(await troubleOfScan(), 'compare the digits')).toContain('needs a secure connection (HTTPS)')
})

test('Who closes the scanner before the camera has answered leaves no camera running', async () => {
  const stop = vi.fn()
  let answer: (stream: unknown) => void = nothing
  browserWith(() => new Promise((resolve) => (answer = resolve)))
  const onTrouble = vi.fn()
  const end = startScan(screen(), { onLive: nothing, onCode: nothing, onTrouble })
  end()
  answer({ getTracks: () => [{ stop, addEventListener: nothing }] })
  await expect.poll(() => stop).toHaveBeenCalledOnce()
  expect(onTrouble).not.toHaveBeenCalled()
})

test('A camera that is pulled out ends the scan, and is said', async () => {
  const track = Object.assign(new EventTarget(), { stop: vi.fn() })
  browserWith(async () => ({ getTracks: () => [track] }))
  const isHeard = new Promise<void>((resolve) => {
    vi.spyOn(track, 'addEventListener').mockImplementation((...input) => {
      EventTarget.prototype.addEventListener.apply(track, input)
      resolve()
    })
  })
  const trouble = troubleOfScan()
  await isHeard
  track.dispatchEvent(new Event('ended'))
  expect(await trouble).toBe('failed')
  expect(track.stop).toHaveBeenCalled()
})

test('A browser that gives a page noise for pictures says so by name, before anybody is asked for the camera', async () => {
  const getUserMedia = vi.fn()
  browserWith(getUserMedia)
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => null
    },
  )
  expect(cameraWords(await troubleOfScan(), 'paste the token')).toBe(
    'This browser does not let a page read pictures. Please paste the token.',
  )
  expect(getUserMedia).not.toHaveBeenCalled()
})
