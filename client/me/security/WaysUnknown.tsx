import { NotRead } from '../../ui/NotRead.tsx'

/** Shown while the ways in load or after loading has failed. */
export const WaysUnknown = ({ failure, onRetry }: { failure: string | null; onRetry: () => Promise<void> }) => (
  <NotRead words="What opens your account could not be loaded." failure={failure} onRetry={() => void onRetry()} />
)
