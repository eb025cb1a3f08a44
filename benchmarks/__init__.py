"""Speed and memory of tallytext beside scikit-learn's, measured in the same run."""
