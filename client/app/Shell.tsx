import { Spinner } from '../ui/Spinner.tsx'

/** The frame of the messenger, while its code and the answer about the session are on their way. */
export function Shell() {
  return (
    <div className="app shell">
      <div className="side" />
      <div className="panel" />
      <Spinner words="Loading" />
    </div>
  )
}
