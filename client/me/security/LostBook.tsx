import { BookX } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { type Opener, startBook } from '../account/keys.ts'
import '../../ui/news.css'
import { showToast } from '../../ui/toast.ts'
import { WayDialog } from './WayDialog.tsx'

/**
 * Says that no address book of the account holds, and offers another browser's copy first, then an empty book, which a way in
 * starts [Note: I1].
 */
export function LostBook() {
  const env = useEnv()
  const [isAsking, setAsking] = useState(false)
  const others = useOtherBrowsers()

  async function start(opener: Opener) {
    await startBook(env, opener)
    showToast({
      tone: 'good',
      title: 'Your address book begins anew',
      text: 'Each chat asks for the person’s key before it sends.',
    })
    // After each connection the page reads everything again.
    env.socket.close()
    env.socket.open()
  }

  return (
    <div className="news strip" role="status" aria-label="Your address book">
      <div className="note warn">
        <BookX className="i i-16" aria-hidden />
        <div>
          <p>
            <strong>Your address book cannot be read.</strong> The server holds none that your browsers wrote. Without it this
            browser cannot tell who is who, so it sends nothing. {others.length > 0 && <First names={others} />}
          </p>
          <div className="acts">
            <button type="button" className="btn compact outline" aria-haspopup="dialog" onClick={() => setAsking(true)}>
              Start an empty one
            </button>
          </div>
        </div>
      </div>
      {isAsking && <WayDialog {...QUESTION} onOpen={start} onClose={() => setAsking(false)} />}
    </div>
  )
}

const QUESTION = {
  title: 'Start an empty address book?',
  text: 'Everybody becomes “Not verified”, and each chat asks you for the person’s key before it sends. Messages stay. If you open another of your browsers later, the people whom it knows come in.',
  action: 'Start an empty one',
  pendingAction: 'Starting...',
  isDangerous: true,
}

function First({ names }: { names: string[] }) {
  return (
    <>
      First open Conclave in another of your browsers: its copy comes in by itself. You have{' '}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && (at === names.length - 1 ? ' and ' : ', ')}
          <bdi>{name}</bdi>
        </span>
      ))}
      .
    </>
  )
}

/** The names of the account's other browsers, without repetition. */
function useOtherBrowsers(): string[] {
  const env = useEnv()
  const [names, setNames] = useState<string[]>([])
  useEffect(() => {
    let isShown = true
    const read = async () => {
      const [{ deviceId }, devices] = await Promise.all([env.crypto.ownStanding(), env.crypto.ownDevices()])
      const others = devices.filter(({ id }) => id !== deviceId).map(({ name }) => name)
      if (isShown) setNames([...new Set(others)])
    }
    // The question stands without the names too.
    read().catch(() => isShown && setNames([]))
    return () => {
      isShown = false
    }
  }, [env])
  return names
}
