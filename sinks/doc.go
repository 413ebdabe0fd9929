// Package sinks turns graded trials into rows, one per sample and arm, and rows
// into Parquet files that are proven before they are read: named by the hash of
// their content, synced, read back, renamed.
//
// What enters: [judge.Graded] and [shadow.Books]. What leaves: files in date
// folders, streams of [Row] from [Scan], and from [EachGroup] some columns, a row
// group at a time. Durations are int64 microseconds (…_us), times are UTC, unknown is
// null, never 0.
//
// It never opens a file whose bytes it has not checked, never changes a file once
// it has its name (a damaged one is replaced by its own content when that is
// delivered again), and computes no statistics.
//
// # Files
//
//	rows/date=2026-10-05/<time of writing>-<SHA-256>.parquet    one row per sample and arm
//	books/date=2026-10-05/…                                     what taps counted, and which files of rows were proven
//	texts/date=2026-10-05/…                                     prompts and answers, if they are kept
//
// The date is the UTC day on which the request arrived; for the books of a tap the
// day on which the counting ended. Files sort by the order in which they were
// written, so the first of two rows with one key is the first verdict. Temporary
// files begin with a dot and end in .tmp. Files have mode 0600, folders 0700.
//
// Any reader of Parquet can read them, e.g. DuckDB, which then also has the column date:
//
//	SELECT arm, avg(grade) FROM read_parquet('rows/*/*.parquet', hive_partitioning = true) GROUP BY arm
//
// Such a reader sees redelivered rows twice, see [Once], and checks no hash.
//
// # A crash at any point
//
// [Writer.Write] writes texts, then rows, then the booking of the rows' file. Before
// the renaming a killed writer leaves a temporary file, which the next start removes.
// Between renaming and booking it leaves a file that is read and not booked. Either
// way nothing was acknowledged: the messages come again, alone or among others, as
// the same file or as duplicates. Only what is booked was acknowledged, so a booked
// file that is gone is a loss, and [Verify] says so; what is on the bus and in no
// file is in flight.
//
// # Columns
//
// The metadata of a file names its schema (understudy.schema, e.g. rows.3). A newer
// one is refused; files of every released one can be read for ever, and a column that
// they do not have is null. An empty string is null where the column is nullable. Strings are
// UTF-8 with NUL and control characters as they were; bytes that are no UTF-8 are
// U+FFFD. A uuid is 16 bytes.
//
//	rows (rows.3)
//	  sample           uuid               required            sample id
//	  arm              string             required            live, or a candidate's name
//	  experiment       string             nullable            experiment's name
//	  digest           string             nullable            experiment's digest
//	  seen             timestamp[us, UTC] required us         arrival of the request; its day is the folder's date
//	  tap              string             nullable            process that took the sample: the source of its books
//	  tap_seq          int64              nullable            sample's number in that process, from 1 on
//	  session          string             nullable            conversation: the cluster of every standard error
//	  route            string             nullable            what reports can be split by
//	  dialect          string             nullable            wire format of the client
//	  stream           boolean            required            the client asked for a stream
//	  rate             double             required 0..1       chance that this arm was asked for this request
//	  judge_rate       double             required 0..1       chance that this arm was asked and its answer went to the judge
//	  redacted         boolean            required            request or answer was changed before it left the tap
//	  state            string             required            answered, failed or not_asked
//	  reason           string             nullable            why it failed or was not asked
//	  model            string             nullable            model version that the answer names
//	  status           int32              nullable            HTTP status
//	  attempts         int32              nullable calls      calls made for this answer
//	  first_token_us   int64              nullable us         time to the first content of a stream
//	  took_us          int64              nullable us         time to the last byte or the failure; null when not asked, or recorded without it
//	  censored         boolean            required            it took more than took_us: a limit or the user cut it off
//	  queued_us        int64              nullable us         wait in the pipeline before the arm was asked; null for live
//	  finish           string             nullable            why the answer ended
//	  tokens_in        int64              nullable tokens     tokens of the request
//	  tokens_out       int64              nullable tokens     tokens of the answer
//	  tokens_reasoning int64              nullable tokens     of them for reasoning
//	  tool_names       list<string>       nullable            functions that the answer called; null when the arm did not answer
//	  answer_chars     int64              nullable characters length of the answer's text; null when the arm did not answer
//	  judge_state      string             nullable            graded, not_graded or not_drawn; null without a ruling
//	  judge_reason     string             nullable            why it was not graded
//	  grade            int32              nullable 1..6       grade, 1 is best
//	  problem          string             nullable            the one main problem, or none
//	  judge            string             nullable            judge's configured name
//	  judge_pinned     string             nullable            snapshot that the judge is pinned to
//	  judge_echo       string             nullable            snapshot that its reply named
//	  rubric           string             nullable            rubric's digest
//	  judge_took_us    int64              nullable us         time from the first call to the ruling
//	  judge_calls      int32              nullable calls      calls to judges for this answer
//	  hedged           boolean            required            the reserve judge was asked because the first was silent
//	  context_cut      boolean            required            the judge was not shown all: turns left out to fit its context, or images
//	  repeat           int32              required            0 is the verdict that counts; others measure the judge
//	  tags             list<string>       nullable            key=value, by key: what reports can be split by (since rows.2)
//	  tokens_cached    int64              nullable tokens     tokens of the request that the provider had in its cache (since rows.2)
//	  cost_nusd        int64              nullable 1e-9 USD   cost of the call, failed or not; null when usage or price is unknown (since rows.2)
//	  conforms         boolean            nullable            the answer keeps to the schema or list that the request sets; null where it sets none or it cannot be told (since rows.2)
//	  judge_tokens_in  int64              nullable tokens     tokens of judges' requests about this answer, as far as known (since rows.2)
//	  judge_tokens_out int64              nullable tokens     tokens of judges' replies about this answer, as far as known (since rows.2)
//	  judge_cost_nusd  int64              nullable 1e-9 USD   cost of judging, as far as known; null when no usage or price is (since rows.2)
//	  purpose          string             nullable            what a further verdict (repeat > 0) is for: repeat, agreement or injection (since rows.3)
//	  plant            string             nullable            planted instruction that the judge was shown with the answer (since rows.3)
//	  series           string             nullable            the yardstick: judges' snapshots, and rubric with prompt; null if nobody was asked (since rows.3)
//	  judge_form       string             nullable            how the verdict stood in the reply: bare, wrapped or tool (since rows.3)
//	  regraded         boolean            nullable            the first judge failed on a later answer, and this one graded the trial anew; null without a ruling (since rows.3)
//	  suspect          boolean            nullable            the answer looks like an attack on its judge; null without a ruling (since rows.3)
//	  not_carried      list<string>       nullable            what was lost when the request was put into another dialect (since rows.3)
//	books (books.1)
//	  experiment       string             nullable            experiment's name
//	  source           string             nullable            process that counted
//	  number           uint64             nullable            its entry, from 1 on
//	  from             timestamp[us, UTC] nullable us         start of counting
//	  to               timestamp[us, UTC] nullable us         end of counting
//	  line             int32              nullable            line of the entry, from 0 on; null: an entry without lines, or a file
//	  day              string             nullable            day on which the requests arrived
//	  endpoint         string             nullable            path of the requests
//	  entry            string             nullable            what is counted; file: a proven file of rows
//	  reason           string             nullable            why, where the entry has reasons
//	  count            int64              nullable            how many: requests, or rows of the file
//	  file             string             nullable            path of the file of rows
//	texts (texts.2)
//	  sample           uuid               required            sample id
//	  arm              string             required            live, or a candidate's name
//	  experiment       string             nullable            experiment's name
//	  seen             timestamp[us, UTC] required us         arrival of the request
//	  session          string             nullable            conversation
//	  conversation     string             nullable            the client's request body
//	  answer           string             nullable            text of the answer
//	  refusal          string             nullable            refusal that the provider marked as such
//	  tool_calls       string             nullable            JSON array of id, name and arguments
//	  judge_text       string             nullable            the judge's reason
//	  redacted         boolean            required            request or answer was changed before it left the tap
//	  replaced         boolean            required            bytes of the request that are no UTF-8 are U+FFFD here
//	  judge_replies    string             nullable            JSON array of judge, repeat, unused and text: the judges' replies word for word (since texts.2)
package sinks
