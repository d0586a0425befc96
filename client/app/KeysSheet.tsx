import { Dialog } from '../ui/Dialog.tsx'
import { KEYS } from './keyList.ts'
import './palette.css'

/** All keys of the messenger. */
export function KeysSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <div className="keys">
        {KEYS.map(({ title, keys }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {keys.map(({ words, press }) => (
                <li key={words}>
                  {words}
                  <span>
                    {press.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
