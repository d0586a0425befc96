/** Names of algorithms have hyphens, at which a narrow column would break them. */
const NAMES = /(AES-256-GCM|ML-KEM-768)/

/** Text in which such names stay whole. */
export const Unbroken = ({ text }: { text: string }) =>
  text.split(NAMES).map((part) =>
    NAMES.test(part) ? (
      <span key={part} className="whole">
        {part}
      </span>
    ) : (
      part
    ),
  )
