import type { SharedScreen } from './media.ts'

/** undefined if the person chose no screen. Throws what the browser throws. */
export async function openScreen(microphone: MediaStreamTrack | null): Promise<SharedScreen | undefined> {
  const stream = await askScreen()
  const [video] = stream?.getVideoTracks() ?? []
  if (!stream || !video) return undefined
  // Sharp before smooth.
  video.contentHint = 'detail'
  const [own] = stream.getAudioTracks()
  const mixed = own && mix(own, microphone)
  return {
    video,
    sound: mixed?.track ?? null,
    mixIn: (other) => mixed?.take(other),
    stop() {
      video.onended = null
      for (const track of stream.getTracks()) track.stop()
      mixed?.close()
    },
  }
}

async function askScreen(): Promise<MediaStream | undefined> {
  try {
    return await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 30 } }, audio: true })
  } catch (error) {
    if (error instanceof Error && error.name === 'NotAllowedError') return undefined
    throw error
  }
}

interface Mix {
  track: MediaStreamTrack
  take: (microphone: MediaStreamTrack | null) => void
  close: () => void
}

/** One track is sent. */
function mix(own: MediaStreamTrack, microphone: MediaStreamTrack | null): Mix | undefined {
  const audio = new AudioContext()
  const out = audio.createMediaStreamDestination()
  const [track] = out.stream.getAudioTracks()
  if (!track) return undefined
  const into = (one: MediaStreamTrack) => {
    const source = audio.createMediaStreamSource(new MediaStream([one]))
    source.connect(out)
    return source
  }
  into(own)
  let voice = microphone && into(microphone)
  return {
    track,
    take(other) {
      voice?.disconnect()
      voice = other && into(other)
    },
    close: () => void audio.close(),
  }
}
