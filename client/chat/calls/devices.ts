import { z } from 'zod'

export type DeviceKind = 'microphone' | 'camera' | 'speaker'

export interface CallDevice {
  id: string
  name: string
}

export interface CallDevices {
  microphone: CallDevice[]
  camera: CallDevice[]
  /** Empty where the browser lets nobody choose. */
  speaker: CallDevice[]
  chosen: Readonly<Record<DeviceKind, string | null>>
  hasNoiseSuppression: boolean
}

const KEY = 'call-devices'
const deviceId = z.string().nullable().catch(null)
const shape = z.object({
  chosen: z.object({ microphone: deviceId, camera: deviceId, speaker: deviceId }),
  hasNoiseSuppression: z.boolean(),
})
type Chosen = z.infer<typeof shape>

const FIRST: Chosen = { chosen: { microphone: null, camera: null, speaker: null }, hasNoiseSuppression: true }

/** What was chosen in this browser; null is the system's own choice. */
export function chosenDevices(): Chosen {
  try {
    return shape.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null')).data ?? FIRST
  } catch {
    return FIRST
  }
}

export function rememberDevices(change: Partial<Chosen>): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...chosenDevices(), ...change }))
  } catch {
    // The choice lasts until the page is closed.
  }
}

const LISTED: Record<DeviceKind, { kind: MediaDeviceKind; name: string }> = {
  microphone: { kind: 'audioinput', name: 'Microphone' },
  camera: { kind: 'videoinput', name: 'Camera' },
  speaker: { kind: 'audiooutput', name: 'Speaker' },
}

/** The names are known once the person has allowed the devices. */
export async function listDevices(): Promise<CallDevices> {
  const all = (await globalThis.navigator?.mediaDevices?.enumerateDevices?.()) ?? []
  const canChoose = 'HTMLMediaElement' in globalThis && 'setSinkId' in HTMLMediaElement.prototype
  const of = (which: DeviceKind): CallDevice[] =>
    all
      // Before the person has allowed one, all have the empty id.
      .filter(({ kind, deviceId: id }) => kind === LISTED[which].kind && id !== '')
      .map(({ deviceId: id, label }, at) => ({ id, name: label || `${LISTED[which].name} ${at + 1}` }))
  return { microphone: of('microphone'), camera: of('camera'), speaker: canChoose ? of('speaker') : [], ...chosenDevices() }
}
