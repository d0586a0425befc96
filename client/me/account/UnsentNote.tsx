import { Clock } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { Note } from '../../ui/Note.tsx'

/** Says what is not sent yet to somebody who is about to leave. */
export function UnsentNote() {
  const env = useEnv()
  const [count, setCount] = useState(0)
  useEffect(() => {
    // Another tab may have closed the vault.
    env.crypto.unsentCount().then(setCount, () => undefined)
  }, [env])
  if (count === 0) return null
  return <Note icon={Clock}>{count === 1 ? '1 message waits to be sent' : `${count} messages wait to be sent`}</Note>
}
