import { CameraOff, LoaderCircle } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type CameraTrouble, cameraWords, startView } from '../../ui/camera.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import '../../ui/scanner.css'
import { readsPixels } from '../../ui/readsPixels.ts'
import { showToast } from '../../ui/toast.ts'
import { takePicture } from './photo.ts'

interface Props {
  userId: string
  onTaken: () => void
  onClose: () => void
}

/** Takes a picture with the camera of this device. It is released as soon as the dialog closes. */
export function CameraDialog(props: Props) {
  return (
    <Dialog title="Take photo" onClose={props.onClose}>
      <Camera {...props} />
    </Dialog>
  )
}

// A part of its own: the dialog puts its content in the page after the effects of whoever shows the dialog.
function Camera({ userId, onTaken, onClose }: Props) {
  const video = useRef<HTMLVideoElement>(null)
  const [state, setState] = useState<'starting' | 'live' | CameraTrouble>('starting')
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt starts the camera anew
  useEffect(() => {
    if (!video.current) return
    setState('starting')
    if (!readsPixels()) return setState('noise')
    return startView(video.current, { onLive: () => setState('live'), onTrouble: setState })
  }, [attempt])

  async function take() {
    if (!video.current) return
    try {
      takePicture({ userId, name: 'New photo', picture: await createImageBitmap(video.current) })
    } catch (error) {
      // The camera was taken away between the press and the picture.
      return showToast({ tone: 'bad', title: 'No photo was taken', text: failureWords(error) })
    }
    onTaken()
  }

  const isRunning = state === 'starting' || state === 'live'
  return (
    <>
      <div className="cam" hidden={!isRunning}>
        <video ref={video} muted playsInline aria-label="What the camera sees" />
        {state === 'starting' && <LoaderCircle className="i i-24 spin" aria-hidden />}
        <p role="status">{state === 'starting' ? 'Starting the camera' : 'The camera is on'}</p>
      </div>
      {!isRunning && (
        <Note icon={CameraOff} tone="danger" role="alert">
          <strong>Camera Error</strong>
          <br />
          {cameraWords(state, state === 'noise' ? 'set your photo in another browser' : 'upload a photo')}
        </Note>
      )}
      <footer>
        <button type="button" className="btn outline" onClick={onClose}>
          Cancel
        </button>
        {isRunning ? (
          <button type="button" className="btn primary" disabled={state !== 'live'} onClick={() => void take()}>
            Take photo
          </button>
        ) : (
          <button type="button" className="btn primary" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        )}
      </footer>
    </>
  )
}
