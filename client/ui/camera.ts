import { readsPixels } from './readsPixels.ts'

/** The reason why scanning is impossible. */
export type CameraTrouble = 'insecure' | 'unsupported' | 'missing' | 'denied' | 'failed' | 'reader' | 'noise'

/** The text for that reason. `instead` is what the person can do without a camera, such as "compare the digits". */
export function cameraWords(trouble: CameraTrouble, instead: string): string {
  switch (trouble) {
    case 'insecure':
      return `The camera needs a secure connection (HTTPS). Please ${instead}.`
    case 'unsupported':
      return `Camera not supported in this browser. Please ${instead}.`
    case 'noise':
      return `This browser does not let a page read pictures. Please ${instead}.`
    case 'missing':
      return `No camera found on this device. Please ${instead}.`
    case 'denied':
      return `Camera access denied. Please allow camera permissions and try again, or ${instead}.`
    case 'failed':
      return `Unable to access camera. Please ${instead}.`
    case 'reader':
      return `The code reader could not be loaded. Check the connection and try again, or ${instead}.`
  }
}

class CameraError extends Error {
  readonly trouble: CameraTrouble
  constructor(trouble: CameraTrouble) {
    super(trouble)
    this.name = 'CameraError'
    this.trouble = trouble
  }
}

const TROUBLES: Record<string, CameraTrouble> = {
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotAllowedError: 'denied',
  SecurityError: 'denied',
}

const LOOK_EVERY_MS = 200
/** Pictures are scaled down to this size: a code on a phone's screen is still readable, and decoding is fast enough. */
const LONGEST_SIDE_PX = 960

/** What can be chosen while a camera runs. */
export interface CameraChoices {
  /** The cameras of this device, with the one that runs. */
  cameras: { id: string; name: string }[]
  currentId: string
  /** Switches the camera's light; null if it has none. */
  setTorch: ((isOn: boolean) => Promise<void>) | null
}

interface ScanEvents {
  onLive: (choices: CameraChoices) => void
  /** Called once for each code until another one is seen. */
  onCode: (text: string) => void
  onTrouble: (trouble: CameraTrouble) => void
}

/**
 * Shows a camera in a video and reports codes: the one with this id, or else the rear one. Returns a function that ends the scan and
 * releases the camera at any stage.
 */
export function startScan(video: HTMLVideoElement, { onLive, onCode, onTrouble }: ScanEvents, cameraId?: string): () => void {
  const open = async () => {
    // Before anybody is asked for the camera.
    if (!readsPixels()) throw new CameraError('noise')
    return openCamera({ facingMode: 'environment' }, cameraId)
  }
  return showCamera(video, { open, onTrouble }, async (stream, isOver) => {
    const [read, choices] = await Promise.all([loadReader(), choicesOf(stream), video.play()])
    if (!isOver()) onLive(choices)
    let last: string | undefined
    while (!isOver()) {
      const text = await read(pictureOf(video))
      if (isOver()) return
      if (text !== undefined && text !== last) onCode(text)
      last = text ?? last
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  })
}

/** Shows the front camera in a video. Returns a function that ends that and releases the camera at any stage. */
export function startView(
  video: HTMLVideoElement,
  { onLive, onTrouble }: Omit<ScanEvents, 'onCode' | 'onLive'> & { onLive: () => void },
) {
  const open = () => openCamera({ facingMode: 'user' })
  return showCamera(video, { open, onTrouble }, async (_, isOver) => {
    await video.play()
    if (!isOver()) onLive()
  })
}

/** Shows what a camera sees and runs `work` beside it. Returns a function that ends both. */
function showCamera(
  video: HTMLVideoElement,
  { open, onTrouble }: { open: () => Promise<MediaStream>; onTrouble: (trouble: CameraTrouble) => void },
  work: (stream: MediaStream, isOver: () => boolean) => Promise<void>,
): () => void {
  let isOver = false
  let stream: MediaStream | undefined
  function end() {
    isOver = true
    for (const track of stream?.getTracks() ?? []) track.stop()
    video.srcObject = null
  }
  function fail(error: unknown) {
    if (isOver) return
    end()
    onTrouble(error instanceof CameraError ? error.trouble : 'failed')
  }
  async function run() {
    stream = await open()
    if (isOver) return end()
    for (const track of stream.getTracks()) track.addEventListener('ended', () => fail(new CameraError('failed')))
    video.srcObject = stream
    await work(stream, () => isOver)
  }
  run().catch(fail)
  return end
}

/** The names of the other cameras are known only while one runs. */
async function choicesOf(stream: MediaStream): Promise<CameraChoices> {
  const [track] = stream.getVideoTracks()
  const devices = await navigator.mediaDevices.enumerateDevices()
  const cameras = devices.flatMap(({ kind, deviceId, label }, at) =>
    kind === 'videoinput' ? [{ id: deviceId, name: label || `Camera ${at + 1}` }] : [],
  )
  // The types of the web platform do not know the light. Safari and Firefox have none.
  const capabilities: MediaTrackCapabilities & { torch?: boolean } = track?.getCapabilities?.() ?? {}
  const setTorch = (torch: boolean) => track?.applyConstraints({ advanced: [{ torch } as MediaTrackConstraintSet] })
  return {
    cameras,
    currentId: track?.getSettings().deviceId ?? '',
    setTorch: capabilities.torch ? async (isOn) => setTorch(isOn) : null,
  }
}

/** Opens the camera with this id, or else one that faces that way, or else any. Throws CameraError. */
async function openCamera(facing: { facingMode: 'environment' | 'user' }, cameraId?: string): Promise<MediaStream> {
  // `mediaDevices` does not exist outside a secure context.
  if (!isSecureContext) throw new CameraError('insecure')
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraError('unsupported')
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: { ...(cameraId ? { deviceId: { exact: cameraId } } : facing), width: { ideal: 1280 } },
    })
  } catch (error) {
    throw new CameraError((error instanceof Error && TROUBLES[error.name]) || 'failed')
  }
}

/** Loads the decoder, a megabyte, on demand; a smaller and slower one where there is no WebAssembly. */
async function loadReader(): Promise<(picture: ImageData | undefined) => Promise<string | undefined>> {
  try {
    if (typeof WebAssembly === 'undefined') {
      const { readQr } = await import('./plainReader.ts')
      return async (picture) => picture && readQr(picture)
    }
    const reader = await import('./reader.ts')
    await reader.prepareReader()
    return async (picture) => picture && reader.readQr(picture)
  } catch {
    throw new CameraError('reader')
  }
}

let canvas: HTMLCanvasElement | undefined

/** The video's current picture; undefined before the first one. */
function pictureOf(video: HTMLVideoElement): ImageData | undefined {
  const { videoWidth, videoHeight } = video
  if (videoWidth === 0) return undefined
  const scale = Math.min(1, LONGEST_SIDE_PX / Math.max(videoWidth, videoHeight))
  canvas ??= document.createElement('canvas')
  canvas.width = Math.round(videoWidth * scale)
  canvas.height = Math.round(videoHeight * scale)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context?.drawImage(video, 0, 0, canvas.width, canvas.height)
  return context?.getImageData(0, 0, canvas.width, canvas.height)
}
