//! Maps errors to endings, and thereby to exit codes.

use nopol_process::copy::OriginChanged;
use nopol_process::run::process::Stopped;

use crate::report::Ending;
use crate::subject::SubjectError;

/// The ending for an error, and its message.
pub fn of(error: &anyhow::Error) -> (Ending, String) {
    let message = format!("{error:#}");
    let ending = match (
        error.downcast_ref::<Stopped>(),
        error.downcast_ref::<SubjectError>(),
    ) {
        (Some(Stopped::Interrupted), _) => Ending::Interrupted,
        (Some(Stopped::TimeLimit), _) => Ending::TimeLimit,
        (_, Some(SubjectError::Usage(_))) => Ending::Usage,
        (_, Some(SubjectError::CannotBuild(..))) => Ending::CannotBuild,
        (_, Some(SubjectError::UnusableBaseline(_))) => Ending::UnusableBaseline,
        (None, None) if error.is::<OriginChanged>() || is_of_the_system(error) => Ending::Usage,
        (None, None) => Ending::Internal,
    };
    (ending, message)
}

/// Whether the user can remove the cause, such as a full disk or a file without permissions.
fn is_of_the_system(error: &anyhow::Error) -> bool {
    use std::io::ErrorKind;
    let kinds = error
        .chain()
        .filter_map(|cause| Some(cause.downcast_ref::<std::io::Error>()?.kind()));
    let theirs = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
    ];
    kinds.into_iter().any(|kind| theirs.contains(&kind))
}
